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
          about: z.string().meta({ description: 'What it holds and is for.' }),
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
              about: z.string().meta({ description: 'What it holds and is for.' }),
              address: z.string().meta({ description: 'Base58.' }),
              secretKey: z.string().optional().meta({
                description: 'Base58 of 64 bytes, as wallets import it. Public on purpose. Absent for payTo.',
              }),
            }),
          )
          .meta({ description: 'Funded, with their keys.' }),
      })
      .optional()
      .meta({ description: 'The local Solana: paid on, not quoted on.' }),
    tokens: z
      .array(
        z.object({
          chain: z.string().meta({ description: 'Where it lives.' }),
          address: address.meta({ description: 'Checksummed.' }),
          symbol: z.string().meta({ description: 'As the token says.' }),
          decimals: z.int().meta({ description: 'As the token says.' }),
          about: z.string().meta({ description: 'What it is: honest, or which trap.' }),
        }),
      )
      .meta({ description: 'Every seeded token.' }),
  })
  .meta({ title: 'Sandbox', description: 'What a visitor needs to play.' });

export type SandboxBody = z.infer<typeof sandboxBody>;
