import { type ChainName, chainNames } from './chain/chains.ts';
import { createLensCaller } from './chain/lensCall.ts';
import type { Node } from './chain/node.ts';
import { createNodes } from './chain/nodes.ts';
import { type CodeReading, readCode } from './chain/readCode.ts';
import { readWithFallback } from './chain/readWithFallback.ts';
import type { Engine, EnginePorts, PretradeChecker } from './engineTypes.ts';
import { ChainUnavailableError, WrongChainError } from './errors.ts';
import { createPairMemory } from './pools/pairMemory.ts';
import { createStateSource } from './pools/readPools.ts';
import { createPretrade } from './pretrade/createPretrade.ts';
import { createAnswerCache } from './quote/answerCache.ts';
import { createQuestionEncoder, emptyQuestion } from './quote/encodeQuestion.ts';
import { createPoolSearcher } from './quote/foundPools.ts';
import { createFundingMemory } from './quote/funding/fundingMemory.ts';
import { createMarketMemory } from './quote/marketMemory.ts';
import { flagNative, withWrappedNative } from './quote/nativeCoin.ts';
import { questionKey } from './quote/questionKey.ts';
import { quote } from './quote/quote.ts';
import { quotersOnlyFlag, readByQuoters } from './quote/quoters/readByQuoters.ts';
import { readTogether } from './quote/quoters/readTogether.ts';
import type { QuoteAnswer } from './quote/quoteTypes.ts';
import type { ChainData } from './quote/readFunded.ts';
import { readMarket } from './quote/readMarket.ts';
import { deployments } from './venues/deployments/deployments.ts';
import { encodeWorld } from './venues/encodeWorld.ts';
import { toSlots } from './venues/toSlots.ts';

/** A chain that answered that lately is taken to answer again. */
const reachedLatelyMs = 2_000;
/** Contracts rarely lose their code. A quote of one that did has the flag NOT_A_TOKEN. */
const codeKeptMs = 3_600_000;

/**
 * Builds the engine. Nothing is asked of a chain before `start` or the first question.
 * @example
 * const engine = createEngine({ rpc: { base: [endpoint] }, now: Date.now, freshnessMs, deadlineMs: 8_000 });
 * await engine.start();
 * const answer = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '1.5' } });
 */
export function createEngine(ports: EnginePorts): Engine & PretradeChecker {
  const { now, freshnessMs, deadlineMs, rpc, extraV4Shapes = {}, extraVenues = {} } = ports;
  const served = chainNames.filter((chain) => (rpc[chain]?.length ?? 0) > 0);
  const worlds = new Map(
    served.map((chain) => {
      const deployment = deployments[chain];
      const slots = toSlots([...deployment.venues, ...(extraVenues[chain] ?? [])], extraV4Shapes[chain]);
      const encode = createQuestionEncoder(encodeWorld(deployment, slots));
      const lens = createLensCaller();
      const data: ChainData = {
        deployment,
        slots,
        encode,
        lens,
        states: createStateSource(deployment, slots, lens, { now, pairs: createPairMemory(now) }),
        funding: createFundingMemory(now),
        markets: createMarketMemory(now),
        // The index covers Base.
        found: createPoolSearcher({
          deployment,
          slots,
          now,
          index: chain === 'base' ? ports.pretrade?.pools : undefined,
        }),
        oldBlockMs: ports.oldBlockMs,
      };
      const head = { block: null as bigint | null };
      // The self-test: chain id, whether the lens runs there, the head.
      const probe = async (node: Node) => {
        await readWithFallback(node, {
          lens: () => data.lens.test(node, data.encode(emptyQuestion, 0n)),
          quoters: () => readTogether(node, [], { arbSys: deployment.arbSys, block: 'latest' }),
          now,
        });
        head.block = node.block?.number ?? head.block;
      };
      const nodes = createNodes({ chain, endpoints: rpc[chain] ?? [], now, deadlineMs, probe });
      return [chain, { data, nodes, head, probe }];
    }),
  );
  const cache = createAnswerCache<QuoteAnswer>(now, {
    share: ports.share,
    name: 'quote',
    onAsked: (answer) => ports.onAsked?.('quote', answer),
  });
  const codes = createAnswerCache<CodeReading & { validUntil: number }>(now);

  const worldOf = (chain: ChainName) => {
    const world = worlds.get(chain);
    // Asking again later will not help as long as the configuration stays; a minute keeps clients from hammering.
    if (!world) throw new ChainUnavailableError(chain, 60);
    return world;
  };

  const base = worlds.get('base');
  const pretrade =
    base &&
    createPretrade({
      ...ports.pretrade,
      share: ports.share,
      onAsked: (answer) => ports.onAsked?.('check', answer),
      data: base.data,
      nodes: base.nodes,
      now,
      freshnessMs: freshnessMs.base,
      sawBlock: (block) => {
        base.head.block = block;
      },
    });

  return {
    chains: served,
    async start() {
      const wrong = await Promise.all(
        [...worlds.values()].map(async ({ nodes, probe }) => {
          const results = await nodes.askEach(probe);
          return results.map((result) => (result.status === 'rejected' ? result.reason : undefined));
        }),
      );
      const fault = wrong.flat().find((reason) => reason instanceof WrongChainError);
      if (fault) throw fault;
    },
    chainState(chain) {
      const { nodes, head } = worldOf(chain);
      return nodes.state(head.block);
    },
    nodeStates: (chain) => worldOf(chain).nodes.states(),
    async check(question, options) {
      if (!pretrade) throw new ChainUnavailableError('base', 60);
      return pretrade.check(question, options);
    },
    async reach(chain) {
      await worldOf(chain).nodes.reach(reachedLatelyMs);
    },
    async readCode(chain, address) {
      const { nodes } = worldOf(chain);
      return codes.get(`${chain}|${address.toLowerCase()}`, async () => {
        const reading = await nodes.ask((node) => readCode(node, address));
        // Missing code is cached briefly: the contract may be deployed in the next block.
        return { ...reading, validUntil: now() + (reading.hasCode ? codeKeptMs : freshnessMs[chain]) };
      });
    },
    async quote(asked, { signal } = {}) {
      const question = withWrappedNative(asked);
      const { data, nodes, head } = worldOf(question.chain);
      const read = async () => {
        const { value: market, source } = await nodes.ask((node) =>
          readWithFallback(node, {
            lens: () => readMarket(data, question, node),
            quoters: () => readByQuoters({ chain: question.chain, ...data }, question, node),
            now,
          }),
        );
        head.block = market.reading.blockNumber;
        const ts = now();
        const answer = quote(data, question, market, { ts, validUntil: ts + freshnessMs[question.chain] });
        return source === 'quoters' ? { ...answer, flags: [quotersOnlyFlag, ...answer.flags] } : answer;
      };
      return flagNative(await cache.get(questionKey(question), read, signal), asked);
    },
  };
}
