import { type Address, encodeFunctionData, type Hex } from 'viem';
import { b20 } from '../../../sandbox/b20/installB20.ts';
import { type Actor, accounts, type B20Token, type B20World, idOf, mintTo } from './b20World.ts';

/** A state of a B20 token, the answer that it must get, and the transactions that prove the answer. */
export interface B20State {
  symbol: string;
  about: string;
  variant?: 'stablecoin';
  /** From the token's creation to this state. The pool is filled before. */
  setUp(world: B20World, token: B20Token): Promise<void>;
  expected: {
    hasBlacklist: boolean;
    isMintable: boolean;
    /** An account can take a holder's balance. */
    seize: boolean;
    renounced: boolean;
    outcome: 'tradable' | 'sale-blocked' | 'purchase-blocked';
    /** Default: whether it is tradable. */
    tradingEnabled?: boolean;
    triggers?: readonly string[];
    /** A sentence in `reasons`. */
    reason?: RegExp;
  };
  /**
   * Real transactions that prove the powers in `expected`. Returns what they showed: whether new tokens were minted, a
   * buyer was blocked and a buyer's balance was taken. Absent: no account can, which the test tries with every account.
   */
  prove?(
    world: B20World,
    token: B20Token,
    buyer: Address,
  ): Promise<{ minted?: boolean; blocked?: boolean; seized?: boolean }>;
}

type SetUp = B20State['setUp'];

export const inTurn =
  (...steps: SetUp[]): SetUp =>
  async (world, token) => {
    for (const step of steps) await step(world, token);
  };
export const grant =
  (role: string, actor: Actor): SetUp =>
  (world, token) =>
    world.act('admin', token, 'grantRole', [idOf(role), accounts[actor]]);
export const renounce: SetUp = (world, token) => world.act('admin', token, 'renounceLastAdmin');
export const pause =
  (...features: number[]): SetUp =>
  (world, token) =>
    world.act('pauser', token, 'pause', [features]);
export const cap: SetUp = (world, token) => world.act('admin', token, 'updateSupplyCap', [10n ** 30n]);
type Members = (token: B20Token) => readonly Address[];
export const list =
  (scope: string, kind: 'blocklist' | 'allowlist', members: Members = () => []): SetUp =>
  async (world, token) =>
    world.act('admin', token, 'updatePolicy', [idOf(scope), await world.policy(kind, members(token))]);

export const sender = 'TRANSFER_SENDER_POLICY';
export const receiver = 'TRANSFER_RECEIVER_POLICY';
export const executor = 'TRANSFER_EXECUTOR_POLICY';
export const closed = {
  hasBlacklist: false,
  isMintable: false,
  seize: false,
  renounced: true,
  outcome: 'tradable',
} as const;
export const alwaysBlock = (1n << 56n) | 1n;

/** Blocks the buyer in the policy of a scope, and then sells as the buyer. */
export const blockIn =
  (scope: string, change: 'updateBlocklist' | 'updateAllowlist' = 'updateBlocklist', who?: Members) =>
  async (world: B20World, token: B20Token, buyer: Address) => {
    const data = encodeFunctionData({ abi: b20.abi, functionName: 'policyId', args: [idOf(scope)] });
    const id = BigInt(await world.node.call<Hex>('eth_call', [{ to: token.address, data }, 'latest']));
    await world.decide(change, [id, change === 'updateBlocklist', who?.(token) ?? [buyer]]);
    return { blocked: !(await world.sell(token)) };
  };
export const mintAs = (actor: Actor) => async (world: B20World, token: B20Token) => ({
  minted: await world.can(accounts[actor], token.address, mintTo(1n)),
});
export const seize = (holder: Address): Hex =>
  encodeFunctionData({
    abi: b20.abi,
    functionName: 'seizeWithMemo',
    args: [holder, accounts.seizer, 1n, `0x${'0'.repeat(64)}`],
  });

/** The admin uses every power: grants itself the roles, and sets policies. */
export const adminProof: NonNullable<B20State['prove']> = async (world, token, buyer) => {
  for (const role of ['MINT_ROLE', 'SEIZE_ROLE']) await grant(role, 'admin')(world, token);
  const minted = await world.can(accounts.admin, token.address, mintTo(1n));
  await list('SEIZE_EXEMPT_POLICY', 'blocklist', () => [buyer])(world, token);
  const seized = await world.can(accounts.admin, token.address, seize(buyer));
  await list(sender, 'blocklist', () => [buyer])(world, token);
  return { minted, seized, blocked: !(await world.sell(token)) };
};

/** Children of the composite policy of senders. */
export async function childrenOf(world: B20World, token: B20Token): Promise<readonly bigint[]> {
  const read = async (to: Address, data: Hex) => world.node.call<Hex>('eth_call', [{ to, data }, 'latest']);
  const scope = encodeFunctionData({ abi: b20.abi, functionName: 'policyId', args: [idOf(sender)] });
  const id = BigInt(await read(token.address, scope));
  const data = encodeFunctionData({ abi: b20.registryAbi, functionName: 'compositePolicyChildIds', args: [id] });
  const words = (await read(b20.policyRegistry, data)).slice(2).match(/.{64}/g) ?? [];
  return words.slice(2).map((word) => BigInt(`0x${word}`));
}
