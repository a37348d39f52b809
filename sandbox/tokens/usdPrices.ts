/** USD prices of the sandbox, shared by pools and feeds. */
export const usdPrices = { ETH: 3000, BTC: 100_000, POL: 0.25, ARB: 0.5, AERO: 1.2 } as const;
