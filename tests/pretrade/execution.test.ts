import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { swapKinds } from '../../sandbox/execution/swapKinds.ts';
import { startSandbox, type TestToken } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { createTradeSetup, equip, type TradeSetup } from '../../sandbox/testTokens/measurement/holdings.ts';
import { freshWallet, type Trader, withRevert } from '../../sandbox/testTokens/measurement/traders.ts';
import { createSmartWallet } from '../../sandbox/testTokens/smartWallet.ts';
import type { TokenDefinition } from '../../sandbox/testTokens/testTokenTypes.ts';
import { variantTokens } from '../../sandbox/testTokens/variantTokens.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { shareOf } from '../support/proofSize.ts';
import { checkerOver, type TestTokensOnBase } from './checkOn.ts';
import { describeSimulated, poolOf, type ReplayJob, replayTrades } from './replayTrade.ts';
import { recordSimulations, type SimulatedTrade, toSimulatedTrade } from './simulatedTrades.ts';

/** Trades of the default size that a wallet's balance of the counter-asset covers. */
const trades = 2n;
/** The trader also makes one trade of ten times the default size. */
const traderTrades = 11n;
/**
 * The only pool of its counter-asset is the traded one. A simulated buyer is funded from that pool, which moves the
 * price.
 */
const fundedByOwnPool = 'JUNKPAIR';
const withoutAmounts = (lines: readonly string[] | undefined) => lines?.map((line) => line.replace(/ \d+$/, ''));

/**
 * Tokens that detect a simulation: by the stand-in's code (the check then uses the real router's trade), by the wallet's
 * balance, which is higher at a gas price of 200 gwei, or by the larger tip or lower gas limit of one sale, which replays
 * do not have.
 */
const detectsSimulation = new Set([
  ...['SPY', 'SHY', 'OTWO', 'ESHORT', 'EMONEY', 'ETIPBAND'],
  ...['XROUTER', 'XTIP', 'XCOPY', 'XLOWGAS', 'ECOPY', 'QTIP'],
  // Their sales need more than the lower gas limit.
  ...['HUNGRY', 'OFLOOD', 'XHEAVYSALE'],
]);
/** Tokens without a pool of their own, or with a pool at a venue that is not simulated. */
const notSimulated = new Set(['NOPOOL', 'NOPOOLGATE', 'VAULTED', 'JUNK']);

describe.each([
  ['the core tokens', coreTokens, shareOf(coreTokens, 8)],
  ['the variants', variantTokens, shareOf(variantTokens, 8)],
] as const)('%s', (_, tokens, judged) => compareTrades(tokens, judged));

interface ReplayWallets {
  ordinary: Trader;
  contract: Trader;
  receiver: Trader;
}

const timesOf = ({ blocks }: SimulatedTrade) =>
  blocks.map(({ number, timestamp }) => `${number} at ${timestamp}`).join();

/** Trades share blocks of the same number only if these have the same time. */
function groupByTimes(jobs: readonly ReplayJob[]): ReplayJob[][] {
  const times = new Set(jobs.map(({ trade }) => timesOf(trade)));
  return [...times].map((same) => jobs.filter(({ trade }) => timesOf(trade) === same));
}

/** New wallets with counter-assets for each pool of a token; undefined without a pool. */
async function equipWallets(
  node: NodeClient,
  fixture: TradeSetup['environment'],
  testToken: TestToken,
): Promise<ReplayWallets | undefined> {
  const [setup, ...others] = testToken.pools.map((pool) => createTradeSetup(node, fixture, testToken, pool));
  const [ordinary, receiver] = ['trader', 'receiver'].map((role) =>
    freshWallet(`${testToken.symbol} replay ${role}`),
  ) as [Trader, Trader];
  if (!setup) return undefined;
  await equip(setup, ordinary, traderTrades);
  const contract = await createSmartWallet(node, ordinary);
  for (const wallet of [receiver, contract]) await equip(setup, wallet, trades);
  for (const other of others) {
    for (const wallet of [receiver, contract]) await equip(other, wallet, trades);
    await equip(other, ordinary, traderTrades);
  }
  return { ordinary, contract, receiver };
}

/** Runs a pretrade check of each token. Returns the trades that it simulated. */
async function simulateTrades(
  base: TestTokensOnBase['base'],
  testTokens: readonly TestToken[],
): Promise<Map<TestToken, SimulatedTrade[]>> {
  const endpoint = recordSimulations(loopbackEndpoint(base.rpcUrl));
  const checker = checkerOver(base, endpoint, { powerDeadlineMs: 0 });
  const found = new Map<TestToken, SimulatedTrade[]>();
  for (const testToken of testTokens) {
    await checker.check({ chain: 'base', token: testToken.address });
    const simulated = endpoint.recorded.splice(0).map(toSimulatedTrade);
    found.set(
      testToken,
      simulated.filter((trade) => trade !== undefined),
    );
  }
  return found;
}

function compareTrades(tokens: readonly TokenDefinition[], judged: readonly TokenDefinition[]): void {
  let environment: TestTokensOnBase;
  let node: NodeClient;
  let fixture: TradeSetup['environment'];
  const wallets = new Map<string, ReplayWallets>();
  /** Results of each simulated trade and of its replay, by symbol. */
  const compared = new Map<string, { simulated: string[]; real: string[] }[]>();

  beforeAll(async () => {
    const sandbox = await startSandbox({ chains: ['base'], testTokens: tokens });
    const { base } = sandbox.chains;
    if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its tokens.');
    environment = { sandbox, base, testTokens: sandbox.testTokens };
    node = createNodeClient(environment.base.rpcUrl);
    fixture = {
      chain: environment.base,
      kinds: await swapKinds('base'),
      router: environment.testTokens.router,
      testTokens: environment.testTokens,
    };
    await node.call('evm_setAutomine', [false]);
    // One block contains a trade of every token.
    await node.call('evm_setBlockGasLimit', ['0x174876e800']);
    const testTokens = environment.testTokens.tokens.filter(({ symbol }) =>
      judged.some((token) => token.symbol === symbol),
    );
    for (const testToken of testTokens) {
      const equipped = await equipWallets(node, fixture, testToken);
      if (equipped) wallets.set(testToken.symbol, equipped);
    }
    const found = await simulateTrades(environment.base, testTokens);
    // Replay the trades of all tokens in the same blocks, because mining blocks is slow.
    for (let round = 0; round < Math.max(...[...found.values()].map(({ length }) => length)); round += 1) {
      const jobs = [...found].flatMap(([testToken, list]) => toJob(testToken, list[round]));
      for (const group of groupByTimes(jobs)) {
        const real = await withRevert(node, () => replayTrades(node, group));
        for (const job of group) {
          const { symbol } = job.setup.testToken;
          const entry = { simulated: describeSimulated(job.trade), real: real.get(job) ?? [] };
          compared.set(symbol, [...(compared.get(symbol) ?? []), entry]);
        }
      }
    }
  }, 300_000);
  afterAll(() => environment?.sandbox.close());

  function toJob(testToken: TestToken, trade: SimulatedTrade | undefined): ReplayJob[] {
    const equipped = wallets.get(testToken.symbol);
    const pool = trade && poolOf(testToken, trade);
    if (!trade || !equipped || !pool) return [];
    const { ordinary, contract, receiver } = equipped;
    return [
      {
        setup: createTradeSetup(node, fixture, testToken, pool),
        trade,
        trader: trade.byContract ? contract : ordinary,
        receiver,
      },
    ];
  }

  test.each(judged.filter(({ symbol }) => !notSimulated.has(symbol)).map(({ symbol, about }) => [symbol, about]))(
    'default: real wallets receive what the simulation of %s shows, to the wei. %s',
    (symbol) => {
      const pairs = compared.get(symbol) ?? [];
      expect(pairs.length).toBeGreaterThanOrEqual(6);
      const [first] = pairs;
      if (detectsSimulation.has(symbol))
        expect(pairs.map(({ real }) => real)).not.toEqual(pairs.map(({ simulated }) => simulated));
      else if (symbol === fundedByOwnPool)
        expect(withoutAmounts(first?.real)).toEqual(withoutAmounts(first?.simulated));
      else expect(pairs.map(({ real }) => real)).toEqual(pairs.map(({ simulated }) => simulated));
    },
  );

  test('default: trades every token that has a pool at a simulated venue', () => {
    const untraded = judged.map(({ symbol }) => symbol).filter((symbol) => !compared.has(symbol));
    expect(untraded).toEqual([...notSimulated].filter((symbol) => untraded.includes(symbol)));
  });
}
