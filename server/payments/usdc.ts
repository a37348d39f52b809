/** USDC's mint on Solana. Source: Circle's list of USDC contract addresses. */
export const solanaUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** The EIP-712 domain of the sandbox's USDC; the check at start compares it with the contract. */
export const sandboxUsdcDomain = { name: 'USD Coin (truefill sandbox)', version: '2' } as const;

export const usdcDomain = { name: 'USD Coin', version: '2' } as const;

/** US dollars of raw units of USDC, which has six decimals on every network offered here; one USDC counts as one dollar. */
export const toUsd = (units: bigint | number): number => Number(units) / 1_000_000;
