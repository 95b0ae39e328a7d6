import react from "@vitejs/plugin-react";

// The one React that is installed in this folder, also for the package beside it.
export default { plugins: [react()], resolve: { dedupe: ["react", "react-dom"] }, build: { target: "es2022" } };
