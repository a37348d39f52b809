import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  maxUint256,
  numberToHex,
} from 'viem';
import { fundingLensArtifact } from '../../../contracts/artifacts/lens/FundingLens.ts';
import { resultOf, wordOf } from '../../chain/batch.ts';
import { ensureBaseFee, randomAddress, type StateOverride, toLensCall } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import { sendWithHeader } from '../../chain/pinBlock.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import { unlessMalformed } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { b20Abi, b20Features, b20Singletons, hasB20Shape } from '../../venues/b20/b20.ts';
import type { ChainData } from '../chainData.ts';
import { findSource } from './findSource.ts';
import type { Funding, KnownFunding } from './fundingMemory.ts';
import { allowanceData, balanceOfData, toAllowanceCall, toBalanceCall } from './fundPayers.ts';
import {
  type Keys,
  recogniseSlot,
  type SlotOf,
  type StorageLocation,
  toNamedSlots,
  usualFormulas,
  word,
} from './storageLocations.ts';

/**
 * How accounts are funded with a token, from memory or from the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function loadFunding(
  data: Pick<ChainData, 'funding'>,
  node: Node,
  token: LowerAddress,
): Promise<KnownFunding | undefined> {
  const known = data.funding.get(token);
  if (known !== undefined) return known;
  const found = await findFunding(node, token);
  if (found !== undefined) data.funding.set(token, found);
  return found;
}

/** For tokens that store shares of 2^256, such as reflection tokens: a smaller share rounds to no balance. */
const half = 2n ** 255n - 1n;

/** A stored value to try for one account. */
interface Guess {
  account: Address;
  slotOf: SlotOf;
  stored: bigint;
}

/**
 * Finds how accounts can be funded with a token. One request tries the usual formulas on the token itself, each with its
 * own account, because a wrong slot may belong to a blacklist. If none works, a second request tries the slots that the
 * node's access list contains. If no slot works, `findSource` looks for an account that gives the token in a call. Returns
 * `unknown` if there is none; undefined if the node did not answer, also for logs, or there is no token, so that nothing is
 * cached.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function findFunding(node: Node, token: LowerAddress): Promise<KnownFunding | undefined> {
  await ensureBaseFee(node);
  const spender = randomAddress();
  // At least 2^59, so that the rate is precise, and random, so that no other call uses the amount.
  const plain = (hexToBigInt(randomAddress()) >> 101n) | (1n << 59n);
  const toGuess = (slotOf: SlotOf, stored: bigint): Guess => ({ account: randomAddress(), slotOf, stored });
  const holders = [...usualFormulas.map((f) => toGuess(f, plain)), ...usualFormulas.map((f) => toGuess(f, half))];
  const owners = usualFormulas.map((formula) => toGuess(formula, maxUint256));
  const probe = randomAddress();
  const calls = [
    toFundingCall(node, token, { holders, owners, spender }),
    toBalanceCall(token, probe),
    toAllowanceCall(token, probe, spender),
  ];
  const { header, replies } = await sendWithHeader(node, 'latest', calls);
  const [lens, balanceSlots, allowanceSlots] = replies;
  const read = decodeLens(lens);
  if (!read || read.balances.length !== holders.length || read.allowances.length !== owners.length) return undefined;
  if (read.decimals > 255n) return undefined;
  const known = { decimals: Number(read.decimals), supply: read.supply };

  const holder = bestSample(holders, read.balances);
  const owner = owners.find((_, index) => (read.allowances[index] ?? 0n) > 0n);
  const found: Partial<Funding> = {
    ...(holder && { balances: { contract: token, slotOf: holder.slotOf }, sample: holder.sample }),
    ...(owner && { allowances: { contract: token, slotOf: owner.slotOf } }),
  };
  if (!holder || !owner) {
    const data = { balances: balanceOfData(probe), allowances: allowanceData(probe, spender) };
    const tries: Try[] = [
      ...toTries('balances', holder ? undefined : balanceSlots, [probe], [plain, half]),
      ...toTries('allowances', owner ? undefined : allowanceSlots, [probe, spender], [maxUint256]),
    ];
    const calls = tries.map(({ what, contract, slot, stored }) =>
      toReadCall(token, data[what], { [contract]: { stateDiff: { [slot]: word(stored) } } }),
    );
    const answers = calls.length > 0 ? await sendTogether(node, calls) : [];
    for (const [index, { what, location, stored }] of tries.entries()) {
      const value = wordOf(answers[index]) ?? 0n;
      if (value === 0n || found[what]) continue;
      found[what] = location;
      if (what === 'balances') found.sample = { stored, balance: value };
    }
  }
  const { balances, sample, allowances } = found;
  if (balances && sample && allowances) return { ...known, balances, sample, allowances };
  // A node without eth_createAccessList proves nothing about the token, so `unknown` is not cached.
  if (resultOf(balanceSlots) === undefined || resultOf(allowanceSlots) === undefined) return undefined;
  const source = await findSource(node, token, known, header.number);
  return source === 'none' ? 'unknown' : source === 'unread' ? undefined : source;
}

/** The guess whose balance equals the stored value; else the one with the largest balance, which gives the best rate. */
function bestSample(guesses: readonly Guess[], balances: readonly bigint[]) {
  const samples = guesses.map(({ slotOf, stored }, index) => ({
    slotOf,
    sample: { stored, balance: balances[index] ?? 0n },
  }));
  const held = samples.filter(({ sample }) => sample.balance > 0n);
  const exact = held.find(({ sample }) => sample.balance === sample.stored);
  return exact ?? held.sort((a, b) => (a.sample.balance < b.sample.balance ? 1 : -1))[0];
}

/** A value to try at a slot of the node's access list. */
interface Try {
  what: 'balances' | 'allowances';
  location: StorageLocation;
  contract: LowerAddress;
  slot: Hex;
  stored: bigint;
}

/** The location is a formula if one is recognised, otherwise the position in the access list. */
function toTries(what: Try['what'], reply: RpcReply | undefined, keys: Keys, values: readonly bigint[]): Try[] {
  return toNamedSlots(resultOf(reply)).flatMap(({ contract, slot }, position) => {
    const slotOf = recogniseSlot(slot, keys);
    const location: StorageLocation = slotOf ? { contract, slotOf } : { contract, position };
    return values.map((stored) => ({ what, location, contract, slot, stored }));
  });
}

function toFundingCall(
  node: Node,
  token: LowerAddress,
  { holders, owners, spender }: { holders: readonly Guess[]; owners: readonly Guess[]; spender: Address },
): RpcCall {
  const stateDiff = Object.fromEntries([
    ...holders.map(({ account, slotOf, stored }) => [slotOf([account]), word(stored)]),
    ...owners.map(({ account, slotOf, stored }) => [slotOf([account, spender]), word(stored)]),
  ]);
  const data = encodeFunctionData({
    abi: fundingLensArtifact.abi,
    functionName: 'read',
    args: [token, holders.map(({ account }) => account), owners.map(({ account }) => account), spender],
  });
  return toLensCall(node, { data, block: 'latest', lens: fundingLensArtifact, accounts: { [token]: { stateDiff } } });
}

function decodeLens(reply: RpcReply | undefined) {
  const data = resultOf(reply) as Hex | undefined;
  if (data === undefined) return undefined;
  return unlessMalformed(() => decodeFunctionResult({ abi: fundingLensArtifact.abi, functionName: 'read', data }));
}

const toReadCall = (to: Address, data: Hex, override: StateOverride): RpcCall => ({
  method: 'eth_call',
  params: [{ from: randomAddress(), to, gas: numberToHex(1_000_000), data }, 'latest', override],
});

/**
 * Whether transfers of this B20 token are paused at the block, so that no sale is possible. False for other tokens, which
 * cost no request, and if a read failed.
 * @throws {RpcTransportError}
 */
export async function isPausedB20(node: Node, token: LowerAddress, block: Hex): Promise<boolean> {
  if (!hasB20Shape(token)) return false;
  const isCreated = encodeFunctionData({ abi: b20Abi, functionName: 'isB20Initialized', args: [token] });
  const feature = b20Features.indexOf('TRANSFER');
  const isPaused = encodeFunctionData({ abi: b20Abi, functionName: 'isPaused', args: [feature] });
  const replies = await sendTogether(node, [
    { method: 'eth_call', params: [{ to: b20Singletons.factory, data: isCreated }, block] },
    { method: 'eth_call', params: [{ to: token, data: isPaused }, block] },
  ]);
  return replies.every((reply) => wordOf(reply) === 1n);
}
