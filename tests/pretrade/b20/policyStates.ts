import { encodeFunctionData } from 'viem';
import { b20 } from '../../../sandbox/b20/installB20.ts';
import { makerAddress } from '../../../sandbox/index.ts';
import { accounts, idOf, router } from './b20World.ts';
import {
  adminProof,
  alwaysBlock,
  type B20State,
  blockIn,
  childrenOf,
  closed,
  executor,
  inTurn,
  list,
  receiver,
  renounce,
  sender,
} from './stateSteps.ts';

/** Each kind and scope of a policy that decides about transfers. */
export const policyStates: readonly B20State[] = [
  {
    symbol: 'OWNED',
    about: 'an admin, no policy: the admin can do everything',
    setUp: async () => undefined,
    expected: { hasBlacklist: true, isMintable: true, seize: true, renounced: false, outcome: 'tradable' },
    prove: adminProof,
  },
  { symbol: 'FREE', about: 'the last admin renounced', setUp: renounce, expected: closed },
  {
    symbol: 'FREECOIN',
    about: 'a stablecoin without an admin',
    variant: 'stablecoin',
    setUp: renounce,
    expected: closed,
  },
  {
    symbol: 'SENDBLOCK',
    about: 'a blocklist of senders, no admin',
    setUp: inTurn(list(sender, 'blocklist'), renounce),
    expected: {
      ...closed,
      hasBlacklist: true,
      reason: /TRANSFER_SENDER_POLICY is the shared blocklist \d+, whose admin 0x/,
    },
    prove: blockIn(sender),
  },
  {
    symbol: 'RECVBLOCK',
    about: 'a blocklist of receivers, no admin: blocking the pool stops all sales',
    setUp: inTurn(list(receiver, 'blocklist'), renounce),
    expected: { ...closed, hasBlacklist: true },
    prove: blockIn(receiver, 'updateBlocklist', ({ pair }) => [pair]),
  },
  {
    symbol: 'EXECBLOCK',
    about: 'a blocklist of executors, no admin: blocking the router stops its sales',
    setUp: inTurn(list(executor, 'blocklist'), renounce),
    expected: { ...closed, hasBlacklist: true },
    prove: blockIn(executor, 'updateBlocklist', () => [router]),
  },
  {
    symbol: 'SENDALLOW',
    about: 'an allowlist of senders with the pool, without wallets',
    setUp: inTurn(
      list(sender, 'allowlist', ({ pair }) => [pair, makerAddress]),
      renounce,
    ),
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'sale-blocked',
      tradingEnabled: false,
      reason: /TRANSFER_SENDER_POLICY refuses an ordinary wallet/,
    },
  },
  {
    symbol: 'NOPOOL',
    about: 'an allowlist of senders without the pool',
    setUp: inTurn(
      list(sender, 'allowlist', () => [makerAddress]),
      renounce,
    ),
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'purchase-blocked',
      tradingEnabled: false,
      reason: /TRANSFER_SENDER_POLICY refuses an ordinary wallet, the pool 0x/,
    },
  },
  {
    symbol: 'RECVALLOW',
    about: 'an allowlist of receivers without wallets',
    setUp: inTurn(
      list(receiver, 'allowlist', ({ pair }) => [pair]),
      renounce,
    ),
    expected: { ...closed, hasBlacklist: true, outcome: 'purchase-blocked', tradingEnabled: false },
  },
  {
    symbol: 'POOLBLOCK',
    about: 'a blocklist of receivers with the pool',
    setUp: inTurn(
      list(receiver, 'blocklist', ({ pair }) => [pair]),
      renounce,
    ),
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'sale-blocked',
      tradingEnabled: false,
      reason: /TRANSFER_RECEIVER_POLICY refuses the pool 0x/,
    },
  },
  {
    symbol: 'NOROUTER',
    about: 'an allowlist of executors with the pool, without routers',
    setUp: inTurn(
      list(executor, 'allowlist', ({ pair }) => [pair]),
      renounce,
    ),
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'sale-blocked',
      reason: new RegExp(`TRANSFER_EXECUTOR_POLICY refuses the router ${router}`),
    },
  },
  {
    symbol: 'AGENTS',
    about: 'an allowlist of executors with pool and router, whose admin can remove the router',
    setUp: inTurn(
      list(executor, 'allowlist', ({ pair }) => [pair, router]),
      renounce,
    ),
    expected: { ...closed, hasBlacklist: true },
    prove: blockIn(executor, 'updateAllowlist', () => [router]),
  },
  {
    symbol: 'UNION',
    about: 'a union of an allowlist and a blocklist',
    async setUp(world, token) {
      const children = [await world.policy('allowlist'), await world.policy('blocklist')];
      await world.act('admin', token, 'updatePolicy', [idOf(sender), await world.policy('union', children)]);
      await renounce(world, token);
    },
    expected: {
      ...closed,
      hasBlacklist: true,
      reason:
        /the shared union \d+ of the shared allowlist \d+, whose admin .* and the shared blocklist \d+, whose admin/,
    },
    prove: async (world, token, buyer) => {
      const [, block] = await childrenOf(world, token);
      await world.decide('updateBlocklist', [block, true, [buyer]]);
      return { blocked: !(await world.sell(token)) };
    },
  },
  {
    symbol: 'BOTH',
    about: 'an intersection of two blocklists',
    async setUp(world, token) {
      const children = [await world.policy('blocklist'), await world.policy('blocklist')];
      await world.act('admin', token, 'updatePolicy', [idOf(sender), await world.policy('intersection', children)]);
      await renounce(world, token);
    },
    expected: { ...closed, hasBlacklist: true, reason: /the shared intersection \d+ of the shared blocklist/ },
    prove: async (world, token, buyer) => {
      const [first] = await childrenOf(world, token);
      await world.decide('updateBlocklist', [first, true, [buyer]]);
      return { blocked: !(await world.sell(token)) };
    },
  },
  {
    symbol: 'INVERTED',
    about: 'an inverted blocklist of senders with the pool: only its members may send',
    async setUp(world, token) {
      const id = await world.policy('blocklist', [token.pair, makerAddress]);
      await world.act('admin', token, 'updatePolicy', [idOf(sender), id | (1n << 63n)]);
      await renounce(world, token);
    },
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'sale-blocked',
      tradingEnabled: false,
      reason: /the shared inverted blocklist/,
    },
  },
  {
    symbol: 'SHUT',
    about: 'the built-in policy that authorizes no sender',
    setUp: inTurn((world, token) => world.act('admin', token, 'updatePolicy', [idOf(sender), alwaysBlock]), renounce),
    expected: {
      ...closed,
      hasBlacklist: true,
      outcome: 'purchase-blocked',
      tradingEnabled: false,
      reason: /the built-in policy \d+, which no one can change/,
    },
  },
  {
    symbol: 'FROZEN',
    about: 'a blocklist whose admin renounced: its members stay blocked',
    async setUp(world, token) {
      const id = await world.policy('blocklist', [accounts.operator]);
      await world.act('admin', token, 'updatePolicy', [idOf(sender), id]);
      await world.decide('renounceAdmin', [id]);
      await renounce(world, token);
    },
    expected: { ...closed, hasBlacklist: true, reason: /which no longer has an admin/ },
    prove: async (world, { address }) => {
      const data = encodeFunctionData({ abi: b20.abi, functionName: 'transfer', args: [accounts.admin, 0n] });
      return { blocked: !(await world.can(accounts.operator, address, data)) };
    },
  },
];
