import { z } from 'zod';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** `GET /sandbox`: everything a visitor needs. In sandbox mode only; 404 otherwise. */
export const sandboxBody = z
  .object({
    notice: z.string().meta({ description: 'That this is a sandbox.' }),
    chains: z
      .record(
        z.string(),
        z.looseObject({
          chainId: z.int().meta({ description: 'As on the real chain.' }),
          rpcUrl: z.string().meta({ description: 'JSON-RPC of the local chain.' }),
        }),
      )
      .meta({
        description: 'By name; each also with its USDC, wrapped native token, tokens, pools and swap executor.',
      }),
    wallets: z
      .array(
        z.object({
          role: z.string().meta({ description: 'demo, trader, …' }),
          about: z.string().meta({ description: 'Its balances and purpose.' }),
          address: address.meta({ description: 'Checksummed.' }),
          privateKey: z.string().optional().meta({
            description: 'Public on purpose. Never send anything real here. Absent for payTo.',
          }),
        }),
      )
      .meta({ description: 'Funded, with their keys.' }),
    solana: z
      .object({
        network: z.string().meta({ description: 'CAIP-2, as offered in `accepts`.' }),
        rpcUrl: z.string().meta({ description: 'JSON-RPC of the local ledger.' }),
        usdc: z.string().meta({ description: 'The mint.' }),
        wallets: z
          .array(
            z.object({
              role: z.string().meta({ description: 'demo, stranger, …' }),
              about: z.string().meta({ description: 'Its balances and purpose.' }),
              address: z.string().meta({ description: 'Base58.' }),
              secretKey: z.string().optional().meta({
                description: 'Base58 of 64 bytes, as wallets import it. Public on purpose. Absent for payTo.',
              }),
            }),
          )
          .meta({ description: 'Funded, with their keys.' }),
      })
      .optional()
      .meta({ description: 'The local Solana ledger: for payments only.' }),
    tokens: z
      .array(
        z.object({
          chain: z.string().meta({ description: 'Chain of the token.' }),
          address: address.meta({ description: 'Checksummed.' }),
          symbol: z.string().meta({ description: 'As the token contract returns it.' }),
          decimals: z.int().meta({ description: 'As the token contract returns it.' }),
          about: z.string().meta({ description: 'Honest, or the kind of trap.' }),
        }),
      )
      .meta({ description: 'Every seeded token.' }),
  })
  .meta({ title: 'Sandbox', description: 'Local chains, funded wallets and tokens for trying the service.' });

export type SandboxBody = z.infer<typeof sandboxBody>;
