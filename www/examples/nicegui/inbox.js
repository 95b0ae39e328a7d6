// The way between the inbox and Python. NiceGUI sets the properties again whenever they change.
import { h } from "vue";

export default {
  props: { states: Array, receipts: Object },
  render: () => h("countersign-inbox", { adapter: "langgraph" }),
  async mounted() {
    this.sending = new Map();
    this.$el.addEventListener("countersign-send", ({ detail: { id, body, respondWith } }) => {
      respondWith(new Promise((delivered, failed) => this.sending.set(id, { delivered, failed })));
      this.$emit("answer", { id, body });
      this.settle();
    });
    this.turn = import("countersign/define.js").then(() => this.$el.restore(`[${this.states.join(",")}]`));
    this.$watch("states", ([newest]) => (this.turn = this.turn.then(() => newest && this.$el.receive(newest))));
    this.$watch("receipts", () => this.turn.then(() => this.settle()));
  },
  methods: {
    settle() {
      for (const [id, refusal] of Object.entries(this.receipts)) {
        const { delivered, failed } = this.sending.get(id) ?? {};
        this.sending.delete(id);
        if (refusal === null) delivered?.();
        else failed?.(Object.assign(new Error(refusal.why), { status: refusal.status }));
      }
    },
  },
};
