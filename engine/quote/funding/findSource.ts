import { encodeFunctionData, type Hex, isHex, numberToHex, toEventSelector } from 'viem';
import { resultOf, wordOf } from '../../chain/batch.ts';
import { ensureBaseFee, randomAddress } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import { RpcTransportError } from '../../errors.ts';
import { keccak256 } from '../../keccak256.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { FundingSource, SourcedFunding } from './fundingMemory.ts';
import { balanceOfData, funderAbi, placeFunder, toStep } from './fundPayers.ts';

const transferTopic = toEventSelector('Transfer(address,address,uint256)');
const roleGrantedTopic = toEventSelector('RoleGranted(bytes32,address,address)');
/** Roles that call `mint(address,uint256)`: B20's, and OpenZeppelin's usual one. */
const mintRoles = ['MINT_ROLE', 'MINTER_ROLE'].map((name) => keccak256(`0x${Buffer.from(name).toString('hex')}`));

/** Most nodes accept this range of logs. */
const recentBlocks = 10_000n;
/** Maximum number of accounts whose balances are read, and of holders and minters that are tried. */
const limits = { read: 48, holders: 3, minters: 2 };
const gas = numberToHex(6_000_000);

/**
 * Finds an account that can fund payers inside a call, for a token whose storage slots are not known: a holder without
 * code that received the token lately, otherwise at any time, or a role holder who can mint. Contracts are left out,
 * because they may be pools of the plan. At most six requests. `none` if there is no such account, or the logs are too large;
 * `unread` if the node refused the logs, which proves nothing about the token.
 * @throws {RpcTransportError}
 */
export async function findSource(
  node: Node,
  token: LowerAddress,
  known: { decimals: number; supply: bigint },
  head: bigint,
): Promise<SourcedFunding | 'none' | 'unread'> {
  await ensureBaseFee(node);
  const since = head > recentBlocks ? head - recentBlocks : 0n;
  // Apart, because a token can make the first response too large.
  const [recent, grants] = await Promise.all([
    readLogs(node, logsOf(token, [transferTopic], since)),
    readLogs(node, logsOf(token, [roleGrantedTopic, mintRoles], 0n)),
  ]);
  let [holders, all] = [await readHolders(node, token, spread(accountsIn(recent))), recent];
  // Anyone can send dust to accounts that cannot give the token.
  if (holders.length === 0 && since > 0n) {
    all = await readLogs(node, logsOf(token, [transferTopic], 0n));
    holders = await readHolders(node, token, spread(accountsIn(all)));
  }
  const minters = accountsIn(grants).slice(0, limits.minters);
  // A cap may leave room for a part of the supply only.
  const amounts = known.supply > 0n ? [known.supply, known.supply / 100n] : [10n ** BigInt(known.decimals + 6)];
  const tried = holders.slice(0, limits.holders);
  // A token may limit a transfer to a part of the supply.
  const offers = [
    ...tried.map(({ account, balance }): Offer => ({ account, way: 'transfer', sent: balance })),
    ...tried.map(({ account, balance }): Offer => ({ account, way: 'transfer', sent: balance / 100n })),
    ...minters.flatMap((account) => amounts.map((sent): Offer => ({ account, way: 'mint', sent }))),
  ].filter(({ sent }) => sent > 0n);
  const received = await tryOffers(node, token, offers);
  // The first way that works: a transfer of the largest holder changes neither supply nor shares.
  const best = offers
    .map((offer, at) => ({ ...offer, received: received[at] ?? 0n }))
    .find((offer) => offer.received > 0n);
  if (best) return { ...known, source: best };
  // Logs that are too large are a property of the token, which the caller remembers.
  return [all, grants].some((reply) => reply !== undefined && 'error' in reply) ? 'unread' : 'none';
}

/** The latest accounts, and others spread over the rest, up to the first. */
function spread(accounts: readonly LowerAddress[]): LowerAddress[] {
  const latest = limits.read / 2;
  const rest = accounts.slice(latest);
  if (rest.length <= latest) return [...accounts];
  const step = (rest.length - 1) / (latest - 1);
  return [
    ...accounts.slice(0, latest),
    ...Array.from({ length: latest }, (_, index) => rest[Math.round(index * step)] as LowerAddress),
  ];
}

type Offer = Omit<FundingSource, 'received'>;

const logsOf = (address: LowerAddress, topics: readonly (Hex | readonly Hex[])[], from: bigint): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ address, topics, fromBlock: numberToHex(from), toBlock: 'latest' }],
});

/** Undefined if the response is too large. */
async function readLogs(node: Node, call: RpcCall): Promise<RpcReply | undefined> {
  try {
    return (await sendTogether(node, [call]))[0];
  } catch (error) {
    if (!(error instanceof RpcTransportError) || !error.tooLarge) throw error;
    return undefined;
  }
}

/** The account in the third topic of each log, the latest first: receiver of a transfer, or holder of a role. */
function accountsIn(reply: RpcReply | undefined): LowerAddress[] {
  const logs = resultOf(reply);
  if (!Array.isArray(logs)) return [];
  const words = logs.map((log: { topics?: unknown }) => (Array.isArray(log?.topics) ? log.topics[2] : undefined));
  const accounts = words
    .filter((word): word is Hex => isHex(word) && word.length === 66 && BigInt(word) > 0xffffn)
    .map((word) => toLowerAddress(`0x${word.slice(26)}`));
  return [...new Set(accounts.reverse())];
}

/** Balances of the accounts without code, the largest first. */
async function readHolders(node: Node, token: LowerAddress, accounts: readonly LowerAddress[]) {
  if (accounts.length === 0) return [];
  const replies = await sendTogether(node, [
    ...accounts.map((account) => ({
      method: 'eth_call',
      params: [{ to: token, data: balanceOfData(account), gas }, 'latest'],
    })),
    ...accounts.map((account) => ({ method: 'eth_getCode', params: [account, 'latest'] })),
  ]);
  return accounts
    .map((account, at) => ({
      account,
      balance: wordOf(replies[at]) ?? 0n,
      code: resultOf(replies[at + accounts.length]),
    }))
    .filter(({ balance, code }) => balance > 0n && isOrdinary(code))
    .sort((a, b) => (a.balance < b.balance ? 1 : -1));
}

/** An account without code, or with a delegation (EIP-7702). */
const isOrdinary = (code: unknown) => code === '0x' || (typeof code === 'string' && /^0xef0100.{40}$/i.test(code));

/** What a new account holds after each offer. */
async function tryOffers(node: Node, token: LowerAddress, offers: readonly Offer[]): Promise<bigint[]> {
  if (offers.length === 0) return [];
  const calls = offers.map((offer): RpcCall => {
    const payer = randomAddress();
    const { address, accounts } = placeFunder([offer.account]);
    const steps = [toStep(offer, payer, offer.sent)];
    const data = encodeFunctionData({ abi: funderAbi, functionName: 'probe', args: [token, steps, payer] });
    return { method: 'eth_call', params: [{ to: address, data, gas }, 'latest', accounts] };
  });
  return (await sendTogether(node, calls)).map((reply) => wordOf(reply) ?? 0n);
}
