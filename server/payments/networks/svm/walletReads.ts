import { z } from 'zod';
import { JsonRpcError } from '../../chainCall.ts';
import { openChain } from '../../openChain.ts';
import type { SvmNetworkConfig } from '../../paymentConfig.ts';
import { shareRead } from '../../shareRead.ts';
import { networkOf } from './checkSvmNetwork.ts';
import { genesisHash, natural } from './nodeAnswers.ts';

/** A JSON-RPC response without its id. */
type RpcReply = { result: unknown } | { error: { code: number; message: string } };

/**
 * The reads that a payment on Solana needs before it is signed. Wallets of browsers offer none, and public nodes refuse
 * requests of pages.
 */
export interface WalletReads {
  /**
   * Replies to `getLatestBlockhash`, `getAccountInfo` of USDC's mint, and `getTokenAccountBalance`. Every other request
   * gets an error without a read, so that no caller uses the operator's node for anything else.
   * @throws {ChainUnreachableError} no node returned a valid result
   */
  reply(method: unknown, params: unknown): Promise<RpcReply>;
}

/** A blockhash is valid for at least 60 s, and the user needs most of them to confirm. */
const blockhashMs = 2_000;
const mintMs = 3_600_000;

const confirmed = { commitment: 'confirmed' };
const inContext = (value: z.ZodType) => z.looseObject({ context: z.looseObject({ slot: natural }), value });
const blockhash = inContext(z.object({ blockhash: z.string(), lastValidBlockHeight: natural }));
const mintAccount = inContext(z.looseObject({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }));
const tokenBalance = inContext(z.object({ amount: z.string(), decimals: natural, uiAmountString: z.string() }));
/** Base58 of 32 bytes. */
const accountAddress = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

const refused = (code: number, message: string): RpcReply => ({ error: { code, message } });

/** Opens the reads over the nodes of a payment network. */
export function openWalletReads(config: SvmNetworkConfig, timeoutMs: number): WalletReads {
  const { call } = openChain(config, timeoutMs, {
    method: 'getGenesisHash',
    shape: genesisHash,
    matches: (networkId) => networkOf(networkId) === config.network,
  });
  const latest = shareRead(() => call('getLatestBlockhash', [confirmed], blockhash), blockhashMs);
  const mint = shareRead(
    () => call('getAccountInfo', [config.asset, { ...confirmed, encoding: 'base64' }], mintAccount),
    mintMs,
  );
  const read = async (method: unknown, account: unknown): Promise<RpcReply> => {
    if (method === 'getLatestBlockhash') return { result: await latest.read() };
    if (method === 'getAccountInfo' && account === config.asset) return { result: await mint.read() };
    if (method !== 'getTokenAccountBalance')
      return refused(-32601, 'This path serves only the reads of a payment. Use a node of your own for others.');
    const parsed = accountAddress.safeParse(account);
    if (!parsed.success) return refused(-32602, 'Invalid param: expected the address of a token account.');
    return { result: await call(method, [parsed.data, confirmed], tokenBalance) };
  };
  return {
    async reply(method, params) {
      try {
        return await read(method, Array.isArray(params) ? params[0] : undefined);
      } catch (error) {
        // For example a token account that does not exist.
        if (error instanceof JsonRpcError) return refused(error.code, error.answer.slice(0, 200));
        throw error;
      }
    },
  };
}
