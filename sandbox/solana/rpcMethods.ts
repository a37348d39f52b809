import { type Address, getBase64Decoder, getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import { getTokenDecoder } from '@solana-program/token';
import { BadSignatureError, type LocalLedger } from './localLedger.ts';

/** Returned as a JSON-RPC error. */
export class RpcMethodError extends Error {
  override readonly name = 'RpcMethodError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Mainnet's genesis hash, which identifies the network. */
const genesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

const base64 = (bytes: ReadonlyUint8Array): string => getBase64Decoder().decode(bytes);

function wireOf(params: readonly unknown[]): Uint8Array {
  const [text, options] = params as [unknown, { encoding?: string } | undefined];
  if (typeof text !== 'string' || options?.encoding !== 'base64') {
    throw new RpcMethodError(-32602, 'Only base64 encoding is supported.');
  }
  return new Uint8Array(getBase64Encoder().encode(text));
}

/** An entry of `getSignatureStatuses`; null for an unknown transaction. */
function statusOf(ledger: LocalLedger, signature: string) {
  const landed = ledger.status(signature);
  if (!landed) return null;
  const isFinal = ledger.isFinal(landed.slot);
  return {
    slot: Number(landed.slot),
    confirmations: isFinal ? null : Number(ledger.slot() - landed.slot),
    err: landed.error,
    status: landed.error === null ? { Ok: null } : { Err: landed.error },
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
  };
}

/**
 * JSON-RPC methods that payments and settlements use, with the results of Agave nodes.
 * All numbers are below 2^53, so plain JSON is exact.
 */
export function createRpcMethods(ledger: LocalLedger): Record<string, (params: readonly unknown[]) => unknown> {
  const inContext = <T>(value: T) => ({ context: { slot: Number(ledger.slot()) }, value });

  const accountAt = ([address]: readonly unknown[]) => ledger.account(address as Address);

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': 'litesvm', 'feature-set': 0 }),
    getGenesisHash: () => genesisHash,
    getSlot: () => Number(ledger.slot()),
    getBlockHeight: () => Number(ledger.blockHeight()),
    getLatestBlockhash: () => {
      const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash();
      return inContext({ blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) });
    },
    getBalance: (params) => inContext(Number(accountAt(params)?.lamports ?? 0n)),
    getAccountInfo: (params) => {
      const account = accountAt(params);
      if (!account) return inContext(null);
      return inContext({
        data: [base64(account.data), 'base64'],
        executable: account.executable,
        lamports: Number(account.lamports),
        owner: account.programAddress,
        rentEpoch: 0,
        space: account.data.length,
      });
    },
    getTokenAccountBalance: (params) => {
      const account = accountAt(params);
      if (!account) throw new RpcMethodError(-32602, 'Invalid param: could not find account');
      const { amount } = getTokenDecoder().decode(account.data);
      return inContext({ amount: amount.toString(), decimals: 6, uiAmountString: `${Number(amount) / 1e6}` });
    },
    simulateTransaction: (params) => {
      const { error, logs, units } = ledger.simulate(wireOf(params));
      return inContext({ err: error, logs, unitsConsumed: Number(units), accounts: null, returnData: null });
    },
    sendTransaction: (params) => {
      try {
        return ledger.send(wireOf(params)).signature;
      } catch (error) {
        if (error instanceof BadSignatureError) throw new RpcMethodError(-32003, error.message);
        throw error;
      }
    },
    isBlockhashValid: (params) => inContext(ledger.isBlockhashValid(String(params[0]))),
    getSignaturesForAddress: (params) => {
      const [account, { limit = 1000, before } = {}] = params as [string, { limit?: number; before?: string }?];
      const history = ledger.history(account);
      const first = before ? history.findIndex(({ signature }) => signature === before) + 1 : 0;
      return history
        .slice(first, first + limit)
        .map(({ signature, slot, error }) => ({ signature, slot: Number(slot), err: error, memo: null }));
    },
    getTransaction: (params) => {
      const [signature, options] = params as [string, { encoding?: string } | undefined];
      if (options?.encoding !== 'base64') throw new RpcMethodError(-32602, 'Only base64 encoding is supported.');
      const landed = ledger.status(signature);
      if (!landed) return null;
      return { slot: Number(landed.slot), transaction: [base64(landed.wire), 'base64'], meta: { err: landed.error } };
    },
    getSignatureStatuses: (params) => {
      const [signatures] = params as [string[]];
      return inContext(signatures.map((signature) => statusOf(ledger, signature)));
    },
  };
}
