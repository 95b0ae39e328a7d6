// A network that breaks: connections are refused, cut in the middle or late.

import { connect, createServer } from 'node:net';

/** How many of all connections are refused, end after some time, or end after some bytes; and of all pieces, how many are late. */
const REFUSED = 0.1;
const SHORT = 0.15;
const CUT = 0.25;
const LATE = 0.3;

/** Numbers from 0 to 1, the same for the same seed. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // The lower bits repeat soon.
    return (state >>> 8) / 2 ** 24;
  };
}

/** What stands between a connector and a backend. While it `breaks`, it does what networks do on a bad day. */
export class Network {
  breaks = false;
  #server;
  #target;
  #random;

  constructor(backend, random) {
    this.#target = new URL(backend);
    this.#random = random;
    this.#server = createServer((near) => this.#join(near));
  }

  /** Resolves with the address that stands for the backend's. */
  async open() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  close() {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #happens(share) {
    return this.breaks && this.#random() < share;
  }

  #join(near) {
    if (this.#happens(REFUSED)) return near.destroy();
    const far = connect(Number(this.#target.port), this.#target.hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    if (this.#happens(SHORT)) setTimeout(end, 400 * this.#random());
    let left = this.#happens(CUT) ? Math.floor(6000 * this.#random()) : Infinity;
    near.on('data', (piece) => far.write(this.#renamed(piece)));
    far.on('data', (piece) => {
      const passes = () => {
        near.write(piece.subarray(0, left));
        left -= piece.length;
        if (left <= 0) setTimeout(end, 1);
      };
      if (!this.#happens(LATE)) return passes();
      far.pause();
      setTimeout(() => {
        passes();
        far.resume();
      }, 120 * this.#random());
    });
    return undefined;
  }

  /** A backend answers only to its own name. */
  #renamed(piece) {
    const text = piece.toString('latin1').replace(/^(host: 127\.0\.0\.1:)\d+/gim, (_, host) => host + this.#target.port);
    return Buffer.from(text, 'latin1');
  }
}
