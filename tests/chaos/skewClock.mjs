// Loaded before a replica (node --import): its clock stands CLOCK_SKEW_MS off everybody else's.
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const now = Date.now;
Date.now = () => now() + skewMs;
