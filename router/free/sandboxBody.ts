import { z } from 'zod';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** `GET /sandbox`: all that a visitor needs to play. In sandbox mode only; 404 otherwise. */
export const sandboxBody = z
  .object({
    notice: z.string(),
    chains: z.record(z.string(), z.looseObject({ chainId: z.int(), rpcUrl: z.string() })).meta({
      description: 'By name; each also with its USDC, wrapped native token, tokens, pools and swap executor.',
    }),
    wallets: z.array(
      z.object({
        role: z.string(),
        about: z.string(),
        address,
        privateKey: z.string().meta({ description: 'Public on purpose. Never send anything real here.' }),
      }),
    ),
    solana: z
      .object({
        network: z.string().meta({ description: 'CAIP-2, as offered in `accepts`.' }),
        rpcUrl: z.string(),
        usdc: z.string().meta({ description: 'The mint.' }),
        wallets: z.array(
          z.object({
            role: z.string(),
            about: z.string(),
            address: z.string(),
            secretKey: z.string().meta({ description: 'Base58 of 64 bytes, as wallets import it. Public on purpose.' }),
          }),
        ),
      })
      .optional()
      .meta({ description: 'The local Solana: paid on, not quoted on.' }),
    tokens: z.array(z.object({ chain: z.string(), address, symbol: z.string(), decimals: z.int(), about: z.string() })),
  })
  .meta({ title: 'Sandbox' });

export type SandboxBody = z.infer<typeof sandboxBody>;
