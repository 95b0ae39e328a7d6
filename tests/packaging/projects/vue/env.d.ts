declare var sent: string[];
