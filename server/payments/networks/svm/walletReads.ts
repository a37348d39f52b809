import { z } from 'zod';
import { JsonRpcError } from '../../chainCall.ts';
import { openChain } from '../../openChain.ts';
import type { SvmNetworkConfig } from '../../paymentConfig.ts';
import type { RpcAnswer, WalletReads } from '../../paymentTypes.ts';
import { shareRead } from '../../shareRead.ts';
import { networkOf } from './checkSvmNetwork.ts';
import { genesisHash, natural } from './nodeAnswers.ts';

/** A blockhash is valid for at least 60 s, and the user needs most of them to confirm. */
const blockhashMs = 2_000;
const mintMs = 3_600_000;
/** After a failed read, callers get its error for this long, without another read. */
const failedMs = 2_000;
const balancesPerSecond = 2;
/** A payment needs one. More than the facilitator's node should lose to callers who never pay. */
export const balancesPerDay = 20_000;
/** As other nodes reply to too many requests. */
const tooMany = -32429;

const confirmed = { commitment: 'confirmed' };
const inContext = (value: z.ZodType) => z.looseObject({ context: z.looseObject({ slot: natural }), value });
const blockhash = inContext(z.object({ blockhash: z.string(), lastValidBlockHeight: natural }));
const mintAccount = inContext(z.looseObject({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }));
const tokenBalance = inContext(z.object({ amount: z.string(), decimals: natural, uiAmountString: z.string() }));
/** Base58 of 32 bytes. */
const accountAddress = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

const refused = (code: number, message: string): RpcAnswer => ({ error: { code, message } });

/** A read that is not repeated for some time after it has failed. */
function holdFailures<T>(read: () => Promise<T>): () => Promise<T> {
  let failed: { error: unknown; until: number } | undefined;
  return async () => {
    if (failed && Date.now() < failed.until) throw failed.error;
    try {
      return await read();
    } catch (error) {
      failed = { error, until: Date.now() + failedMs };
      throw error;
    }
  };
}

/** Whether one more read may start: at most `most` in a window. */
function limitReads(most: number, windowMs: number): () => boolean {
  let [since, started] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    const now = Date.now();
    if (now - since >= windowMs) [since, started] = [now, 0];
    started += 1;
    return started <= most;
  };
}

/** Opens the reads over the nodes of a payment network. @param perDay balances that are read in 24 hours */
export function openWalletReads(config: SvmNetworkConfig, timeoutMs: number, perDay = balancesPerDay): WalletReads {
  const { call } = openChain(config, timeoutMs, {
    method: 'getGenesisHash',
    shape: genesisHash,
    matches: (networkId) => networkOf(networkId) === config.network,
  });
  const latest = shareRead(
    holdFailures(() => call('getLatestBlockhash', [confirmed], blockhash)),
    blockhashMs,
  );
  const mint = shareRead(
    holdFailures(() => call('getAccountInfo', [config.asset, { ...confirmed, encoding: 'base64' }], mintAccount)),
    mintMs,
  );
  const ofSecond = limitReads(balancesPerSecond, 1_000);
  const ofDay = limitReads(perDay, 86_400_000);
  const read = async (method: unknown, account: unknown): Promise<RpcAnswer> => {
    if (method === 'getLatestBlockhash') return { result: await latest.read() };
    if (method === 'getAccountInfo' && account === config.asset) return { result: await mint.read() };
    if (method !== 'getTokenAccountBalance')
      return refused(-32601, 'This path serves only the reads of a payment. Use a node of your own for others.');
    const parsed = accountAddress.safeParse(account);
    if (!parsed.success) return refused(-32602, 'Invalid param: expected the address of a token account.');
    if (!ofSecond() || !ofDay())
      return refused(
        tooMany,
        'The limit of balance reads is reached. Nothing was charged. Try again in a second; if that fails, within 24 hours.',
      );
    return { result: await call(method, [parsed.data, confirmed], tokenBalance) };
  };
  return {
    async reply(method, params) {
      try {
        return await read(method, Array.isArray(params) ? params[0] : undefined);
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        // The node's own text may contain a key, and its code may have other causes.
        return /could not find account/i.test(error.answer)
          ? refused(-32602, 'Invalid param: could not find account')
          : refused(-32000, 'The node refused this read.');
      }
    },
  };
}
