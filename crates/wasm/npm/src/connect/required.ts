import { ConnectorError } from "./failure.js";

/**
 * Fails where something is missing that a connector cannot do without. Only a compiler would say so, and not every page has one:
 * what was not given would become the word `undefined` in an address.
 *
 * @throws {ConnectorError} with code `options-invalid`.
 */
export function required<O extends { url: unknown; ids?: object; pollMs?: number }>(name: string, options: O, ids: readonly string[] = []): O {
  const { url, ids: given = {}, pollMs = 1 } = options ?? {};
  const isMissing = (id: string) => ["", null, undefined].includes((given as Record<string, string | null | undefined>)[id]);
  const missing = [...(url == undefined ? ["url"] : []), ...ids.filter(isMissing).map((id) => `ids.${id}`)];
  if (missing.length > 0) throw new ConnectorError("options-invalid", `\`${name}\` needs the option \`${missing.join("`, `")}\``);
  // Without a wait the backend would be asked all the time.
  if (!(pollMs > 0)) throw new ConnectorError("options-invalid", "`pollMs` is a number of milliseconds, more than 0");
  const climbing = ids.find((id) => [".", ".."].includes(String((given as Record<string, unknown>)[id])));
  if (climbing) throw new ConnectorError("options-invalid", `\`ids.${climbing}\` would lead to another address`);
  if (typeof url === "string" && !globalThis.location && !URL.canParse(url)) {
    throw new ConnectorError("options-invalid", `\`${url}\` is no whole address, and there is no page that it could belong to`);
  }
  return options;
}
