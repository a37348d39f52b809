/** The supported chains, by their name in responses. */
export const chainNames = ['base', 'polygon', 'arbitrum'] as const;

export type ChainName = (typeof chainNames)[number];

/** EIP-155 chain ids. */
export const chainIds: Record<ChainName, number> = { base: 8453, polygon: 137, arbitrum: 42161 };
