import { type Hex, isHex, numberToHex } from 'viem';
import { balanceLensArtifact } from '../../contracts/artifacts/lens/BalanceLens.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { resultOf } from './batch.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { decodeWords, encodeWords, inParts } from './words.ts';

/** A balance to read: the amount of `token` that `holder` has. */
export interface Holding {
  token: LowerAddress;
  holder: LowerAddress;
}

/** `unreadable`: the token reverts or returns no number. `unread`: the node failed, or the call's gas ran out. */
export type BalanceReading = { status: 'read'; amount: bigint } | { status: 'unreadable' } | { status: 'unread' };

/** keccak256("truefill balance lens"), last 20 bytes. */
const lensAddress = '0x5053191C3F0Dd89fABD5493A4848ffdAa3854020';
/** `read(address[],address[])` of BalanceLens.sol. */
export const balanceSelector = '0x78ddbbc8';
/** Balances of one call. The lens limits each read to 300,000 gas. */
const perCall = 40;
const gas = numberToHex(14_000_000);

/** Calls that read balances, `perCall` in each. The node must support state overrides. */
export function toBalanceCalls(holdings: readonly Holding[], block: Hex | 'latest'): RpcCall[] {
  return inParts(holdings, perCall).map((part) => {
    const [tokens, holders] = [part.map(({ token }) => token), part.map(({ holder }) => holder)];
    const count = BigInt(part.length);
    const words = [64n, 96n + 32n * count, count, ...tokens, count, ...holders];
    const data = encodeWords(balanceSelector, words);
    const override = { [lensAddress]: { code: balanceLensArtifact.runtime } };
    return { method: 'eth_call', params: [{ to: lensAddress, data, gas }, block, override] };
  });
}

/** Decodes the replies to those calls, in the order of `holdings`. */
export function fromBalanceReplies(
  holdings: readonly Holding[],
  replies: readonly (RpcReply | undefined)[],
): BalanceReading[] {
  return inParts(holdings, perCall).flatMap((part, index) => {
    const result = resultOf(replies[index]);
    const [, count, ...words] = isHex(result) ? decodeWords(result) : [];
    if (count !== BigInt(part.length)) return part.map((): BalanceReading => ({ status: 'unread' }));
    return part.map((_, at) => toReading(words[2 * at], words[2 * at + 1]));
  });
}

function toReading(status: bigint | undefined, amount: bigint | undefined): BalanceReading {
  if (status === 2n && amount !== undefined) return { status: 'read', amount };
  return { status: status === 1n ? 'unreadable' : 'unread' };
}
