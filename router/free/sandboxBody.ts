import { z } from 'zod';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** The body of `GET /sandbox`. Only in sandbox mode; 404 otherwise. */
export const sandboxBody = z
  .object({
    notice: z.string().meta({ description: 'A notice that no real money is used.' }),
    chains: z
      .record(
        z.string(),
        z.looseObject({
          chainId: z.int().meta({ description: 'Equal to the chain id of the real chain.' }),
          rpcUrl: z.string().meta({ description: 'JSON-RPC URL of the local chain.' }),
        }),
      )
      .meta({
        description:
          'The chains by name. Each also lists its USDC, wrapped native token, tokens, pools and swap executor.',
      }),
    wallets: z
      .array(
        z.object({
          role: z.string().meta({ description: 'The purpose in one word: demo, trader, …' }),
          about: z.string().meta({ description: 'Its balances and purpose.' }),
          address: address.meta({ description: 'Checksummed.' }),
          privateKey: z.string().optional().meta({
            description: 'Published on purpose. Never send real funds to this address. Absent for payTo.',
          }),
        }),
      )
      .meta({ description: 'Funded wallets with their keys.' }),
    solana: z
      .object({
        network: z.string().meta({ description: 'CAIP-2 id, as in `accepts`.' }),
        rpcUrl: z.string().meta({ description: 'JSON-RPC URL of the local ledger.' }),
        usdc: z.string().meta({ description: 'Mint of USDC.' }),
        wallets: z
          .array(
            z.object({
              role: z.string().meta({ description: 'The purpose in one word: demo, stranger, …' }),
              about: z.string().meta({ description: 'Its balances and purpose.' }),
              address: z.string().meta({ description: 'Base58.' }),
              secretKey: z.string().optional().meta({
                description:
                  'Base58 of 64 bytes, the format that wallets import. Published on purpose. Absent for payTo.',
              }),
            }),
          )
          .meta({ description: 'Funded wallets with their keys.' }),
      })
      .optional()
      .meta({ description: 'The local Solana ledger, which is used only for payments.' }),
    tokens: z
      .array(
        z.object({
          chain: z.string().meta({ description: 'Chain of the token.' }),
          address: address.meta({ description: 'Checksummed.' }),
          symbol: z.string().meta({ description: 'As the token contract returns it.' }),
          decimals: z.int().meta({ description: 'As the token contract returns it.' }),
          about: z.string().meta({ description: 'The behaviour of the token: honest, or the kind of trap.' }),
        }),
      )
      .meta({ description: 'Every test token.' }),
  })
  .meta({ title: 'Sandbox', description: 'Local chains, funded wallets and tokens for trying the service.' });

export type SandboxBody = z.infer<typeof sandboxBody>;
