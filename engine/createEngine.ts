import { type ChainName, chainIds, chainNames } from './chain/chains.ts';
import { createLensCaller } from './chain/lensCall.ts';
import { createNodes, NodeRefusedError } from './chain/nodes.ts';
import type { Engine, EnginePorts, PretradeChecker } from './engineTypes.ts';
import { ChainUnavailableError, WrongChainError } from './errors.ts';
import { createPretrade } from './pretrade/createPretrade.ts';
import { createAnswerCache } from './quote/answerCache.ts';
import { createAskEncoder, sizeModes } from './quote/encodeAsk.ts';
import { questionKey } from './quote/questionKey.ts';
import { quote } from './quote/quote.ts';
import type { QuoteAnswer } from './quote/quoteTypes.ts';
import { type ChainData, readMarket } from './quote/readMarket.ts';
import { deployments } from './venues/deployments/deployments.ts';
import { encodeWorld } from './venues/encodeWorld.ts';
import { noHooks } from './venues/kinds.ts';
import { toSlots } from './venues/toSlots.ts';

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
      const encode = createAskEncoder(encodeWorld(deployment, slots));
      const data: ChainData = { deployment, slots, encode, lens: createLensCaller() };
      const nodes = createNodes({ chain, endpoints: rpc[chain] ?? [], now, deadlineMs });
      return [chain, { data, nodes, head: { block: null as bigint | null } }];
    }),
  );
  const cache = createAnswerCache<QuoteAnswer>(now);

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
        [...worlds].map(async ([chain, { data, nodes, head }]) => {
          const results = await nodes.askEach(async (node) => {
            const [reply] = await node.send([{ method: 'eth_chainId', params: [] }]);
            if (!reply || !('result' in reply)) throw new NodeRefusedError('The node does not tell its chain id.');
            const seen = Number(reply.result);
            if (seen !== chainIds[chain]) throw new WrongChainError(chain, node.label, chainIds[chain], seen);
            const nothing = {
              tokenIn: noHooks,
              tokenOut: noHooks,
              mode: sizeModes.units,
              mantissa: 0n,
              scale: 0,
            } as const;
            const words = await data.lens.readLens(node, data.encode(nothing), 'latest');
            head.block = BigInt(`0x${words.slice(2 + 2 * 64, 2 + 3 * 64)}`);
          });
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
    async check(question) {
      if (!pretrade) throw new ChainUnavailableError('base', 60);
      return pretrade.check(question);
    },
    async quote(question) {
      const { data, nodes, head } = worldOf(question.chain);
      return cache.get(questionKey(question), async () => {
        const market = await nodes.ask((node) => readMarket(data, question, node));
        head.block = market.reading.blockNumber;
        const ts = now();
        return quote(data, question, market, { ts, validUntil: ts + freshnessMs[question.chain] });
      });
    },
  };
}
