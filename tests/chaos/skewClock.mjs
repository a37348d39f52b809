// Preloaded into a replica (`node --import`). Shifts its clock by CLOCK_SKEW_MS milliseconds.
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const now = Date.now;
Date.now = () => now() + skewMs;
