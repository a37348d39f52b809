import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  numberToHex,
  size,
} from 'viem';
import { fundingLensArtifact } from '../../../contracts/artifacts/lens/FundingLens.ts';
import { randomAddress, type StateOverride } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import { sendWithHeader } from '../../chain/pinBlock.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import type { Funding, KnownFunding } from './fundingMemory.ts';
import { allowanceData, balanceOfData, toAllowanceCall, toBalanceCall } from './fundPayers.ts';
import {
  type Keys,
  type Place,
  recogniseSlot,
  type SlotOf,
  toNamedSlots,
  usualFormulas,
  word,
} from './storagePlaces.ts';

/** For tokens that count shares of 2^256, as reflection tokens do: a usual amount of them is less than one unit. */
const half = 2n ** 255n - 1n;
const largestWord = 2n ** 256n - 1n;
const gas = numberToHex(24_000_000);

/** One stored value tried for one account. */
interface Guess {
  account: Address;
  slotOf: SlotOf;
  stored: bigint;
}

/**
 * Finds out, the first time a token is seen, how accounts can be funded with it. One trip: the usual formulas are tried
 * on the token itself, each for an account of its own, because a slot of another mapping might mean "blacklisted". A
 * second trip for a token whose slots only the node can name. `unknown` when nothing helps; undefined when the node did
 * not answer, or there is no token: nothing is worth keeping then.
 * @param feed the token's USD feed
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function findFunding(node: Node, token: Address, feed?: Address): Promise<KnownFunding | undefined> {
  const spender = randomAddress();
  // At least 2^59, so that rates are known well, and unlike any amount of another call.
  const plain = (hexToBigInt(randomAddress()) >> 101n) | (1n << 59n);
  const toGuess = (slotOf: SlotOf, stored: bigint): Guess => ({ account: randomAddress(), slotOf, stored });
  const holders = [...usualFormulas.map((f) => toGuess(f, plain)), ...usualFormulas.map((f) => toGuess(f, half))];
  const owners = usualFormulas.map((formula) => toGuess(formula, largestWord));
  const probe = randomAddress();
  const calls = [
    toLensCall(token, holders, owners, spender),
    toBalanceCall(token, probe),
    toAllowanceCall(token, probe, spender),
    ...(feed ? toFeedCalls(feed) : []),
  ];
  const { replies } = await sendWithHeader(node, 'latest', calls);
  const [lens, balanceSlots, allowanceSlots, ...feedReplies] = replies;
  const read = decodeLens(lens);
  if (!read || read.balances.length !== holders.length || read.allowances.length !== owners.length) return undefined;
  if (read.decimals > 255n) return undefined;
  const known = { decimals: Number(read.decimals), supply: read.supply, price: toPrice(feedReplies) };

  const held = holders.findIndex((_, index) => (read.balances[index] ?? 0n) > 0n);
  const allowed = owners.findIndex((_, index) => (read.allowances[index] ?? 0n) > 0n);
  const inToken = (guess: Guess | undefined): Place | undefined => guess && { contract: token, slotOf: guess.slotOf };
  const holder = holders[held];
  let balances = inToken(holder);
  let sample = holder && { stored: holder.stored, balance: read.balances[held] ?? 0n };
  let allowances = inToken(owners[allowed]);
  if (balances && sample && allowances) return { ...known, balances, sample, allowances };

  const balancePlaces = balances ? [] : toPlaces(balanceSlots, [probe]);
  const allowancePlaces = allowances ? [] : toPlaces(allowanceSlots, [probe, spender]);
  const tries = [
    ...balancePlaces.flatMap((place) => [plain, half].map((stored) => ({ ...place, stored, read: 'balance' }))),
    ...allowancePlaces.map((place) => ({ ...place, stored: largestWord, read: 'allowance' })),
  ];
  const data = { balance: balanceOfData(probe), allowance: allowanceData(probe, spender) };
  const answers =
    tries.length > 0
      ? await sendTogether(
          node,
          tries.map((one) =>
            toReadCall(token, one.read === 'balance' ? data.balance : data.allowance, {
              [one.place.contract]: { stateDiff: { [one.slot]: word(one.stored) } },
            }),
          ),
        )
      : [];
  for (const [index, { place, stored, read: what }] of tries.entries()) {
    const value = toWord(answers[index]);
    if (value === 0n) continue;
    if (what === 'balance' && !balances) [balances, sample] = [place, { stored, balance: value }];
    if (what === 'allowance') allowances ??= place;
  }
  // A node that names no slots has shown nothing about the token: another one may.
  const isNamed = isResult(balanceSlots) && isResult(allowanceSlots);
  if (!balances || !sample || !allowances) return isNamed ? 'unknown' : undefined;
  return { ...known, balances, sample, allowances };
}

function toLensCall(token: Address, holders: readonly Guess[], owners: readonly Guess[], spender: Address): RpcCall {
  const lens = randomAddress();
  const stateDiff = Object.fromEntries([
    ...holders.map(({ account, slotOf, stored }) => [slotOf([account]), word(stored)]),
    ...owners.map(({ account, slotOf, stored }) => [slotOf([account, spender]), word(stored)]),
  ]);
  const data = encodeFunctionData({
    abi: fundingLensArtifact.abi,
    functionName: 'read',
    args: [token, holders.map(({ account }) => account), owners.map(({ account }) => account), spender],
  });
  const override: StateOverride = { [lens]: { code: fundingLensArtifact.runtime }, [token]: { stateDiff } };
  return { method: 'eth_call', params: [{ from: randomAddress(), to: lens, gas, data }, 'latest', override] };
}

function decodeLens(reply: RpcReply | undefined) {
  if (!isResult(reply)) return undefined;
  try {
    return decodeFunctionResult({ abi: fundingLensArtifact.abi, functionName: 'read', data: reply.result as Hex });
  } catch (cause) {
    // viem's decoder names what it cannot read; anything that is not even text is a TypeError.
    if (!(cause instanceof BaseError || cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    return undefined;
  }
}

/** Places that the named slots stand for: by a formula where one is recognised. */
function toPlaces(reply: RpcReply | undefined, keys: Keys): { place: Place; slot: Hex }[] {
  if (!isResult(reply)) return [];
  return toNamedSlots(reply.result).map(({ contract, slot }, position) => {
    const slotOf = recogniseSlot(slot, keys);
    return { place: slotOf ? { contract, slotOf } : { contract, position }, slot };
  });
}

const toReadCall = (to: Address, data: Hex, override: StateOverride): RpcCall => ({
  method: 'eth_call',
  params: [{ from: randomAddress(), to, gas: numberToHex(1_000_000), data }, 'latest', override],
});

/** `latestRoundData()` and `decimals()`. */
const toFeedCalls = (feed: Address): RpcCall[] =>
  (['0xfeaf968c', '0x313ce567'] as const).map((data) => ({
    method: 'eth_call',
    params: [{ to: feed, data, gas: numberToHex(1_000_000) }, 'latest'],
  }));

function toPrice([round, decimals]: readonly (RpcReply | undefined)[]): Funding['price'] {
  const [answer, places] = [toWord(round, 1), toWord(decimals)];
  return answer > 0n && answer < half && places < 256n ? { answer, decimals: Number(places) } : undefined;
}

/** 0 where there is no such word. */
function toWord(reply: RpcReply | undefined, index = 0): bigint {
  if (!isResult(reply) || typeof reply.result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(reply.result)) return 0n;
  const result = reply.result as Hex;
  return size(result) >= 32 * (index + 1) ? BigInt(`0x${result.slice(2 + 64 * index, 66 + 64 * index)}`) : 0n;
}

const isResult = (reply: RpcReply | undefined): reply is { result: unknown } =>
  reply !== undefined && 'result' in reply;
