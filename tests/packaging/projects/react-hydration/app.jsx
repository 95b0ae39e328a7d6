// What a server draws and a browser takes over.
import { CountersignCard, CountersignInbox } from "countersign/react";

export const Card = (properties) => <CountersignCard className="inline" requestId="r1" {...properties} />;
export const Panel = (properties) => <CountersignInbox className="panel" adapter="a2a" {...properties} />;
