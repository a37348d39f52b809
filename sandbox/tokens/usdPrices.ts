/** What things are worth in the sandbox; pools and feeds agree on it. */
export const usdPrices = { ETH: 3000, BTC: 100_000, POL: 0.25, ARB: 0.5, AERO: 1.2 } as const;
