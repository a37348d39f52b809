/** The chains that truefill quotes on, by the name that stands in every answer. */
export const chainNames = ['base', 'polygon', 'arbitrum'] as const;

export type ChainName = (typeof chainNames)[number];

/** EIP-155 ids, the same that the payment networks carry. */
export const chainIds: Record<ChainName, number> = { base: 8453, polygon: 137, arbitrum: 42161 };
