import { type Hex, hexToBigInt } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../../engine/index.ts';
import type { SandboxChain } from '../../../sandbox/index.ts';
import { coreTokens } from '../../../sandbox/testTokens/coreTokens.ts';
import { createCases, readHoldings } from '../../engine/cases.ts';
import { engineOn, seeded } from '../../engine/market.ts';
import { checkAll, checkerOn } from '../../pretrade/checkOn.ts';
import { type CheckedToken, describeAnswers } from '../../pretrade/describeAnswers.ts';
import { findWallet } from '../../support/findWallet.ts';
import type { Geth } from '../geth/openGeth.ts';
import { findPeer, peers, proofLength } from '../peers.ts';
import { buildOnGeth, type Fork } from './buildOnGeth.ts';
import { type RecordedBuild, recordBuild } from './recordBuild.ts';

// go-ethereum as the node. It executes every transaction of the sandbox's builder itself, with the block numbers, times
// and base fees of anvil, so that both nodes must lead to the same answers.

const program = findPeer(peers.geth);
const forks: Fork[] = proofLength === 'full' ? ['prague', 'osaka'] : ['prague'];

interface Log {
  address: string;
  topics: string[];
  data: string;
}

interface Receipt {
  status: Hex;
  gasUsed: Hex;
  logs: Log[];
}

const effects = ({ status, gasUsed, logs }: Receipt) => ({
  status,
  gasUsed: hexToBigInt(gasUsed),
  logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
});

describe.skipIf(!program).each(forks)('go-ethereum with the rules of %s', (fork) => {
  let build: RecordedBuild;
  let geth: Geth;
  /** The chain with geth as its node. */
  let onGeth: SandboxChain;
  let answers: Map<string, PretradeAnswer>;

  beforeAll(async () => {
    build = await recordBuild('base', { name: 'base', chainId: 8453 });
    geth = await buildOnGeth(program ?? '', build, fork);
    onGeth = { ...build.chain, rpcUrl: geth.rpcUrl };
  });
  afterAll(async () => {
    await geth?.close();
    await build?.close();
  });

  test('every transaction of the market has the gas and logs that it had on anvil', async () => {
    let count = 0;
    for (const { number } of build.blocks.slice(build.placedBlock)) {
      const [own, anvils] = await Promise.all(
        [geth.node, build.anvil].map((node) => node.call<Receipt[]>('eth_getBlockReceipts', [number])),
      );
      expect(own?.map(effects)).toEqual(anvils?.map(effects));
      count += own?.length ?? 0;
    }
    expect(count).toBeGreaterThan(400);
  });

  test('40 quotes equal those of the service on anvil, to the wei and in every field', async () => {
    const trader = findWallet(build.wallets, 'trader').address;
    const nextCase = createCases(build.chain, await readHoldings(build.chain, trader), seeded(1));
    const now = () => build.genesisTime * 1000;
    const [anvils, geths] = [engineOn(build.chain, [], { now }), engineOn(onGeth, [], { now })];
    let answered = 0;
    for (let count = 0; count < 40; count += 1) {
      const { query } = nextCase();
      const [expected, seen] = await Promise.all(
        [anvils, geths].map(({ engine }) => engine.quote(query).then(withoutHash, String)),
      );
      expect(seen, JSON.stringify(query)).toEqual(expected);
      if (typeof seen !== 'string') answered += 1;
    }
    expect(answered).toBeGreaterThan(30);
  });

  describe('checks', () => {
    beforeAll(async () => {
      if (!build.testTokens) throw new TypeError('There are no test tokens.');
      answers = await checkAll({ testTokens: build.testTokens }, checkerOn(onGeth).checker);
    });
    const find = (symbol: string): CheckedToken => {
      const testToken = build.testTokens?.tokens.find((candidate) => candidate.symbol === symbol);
      const answer = answers.get(symbol);
      if (!testToken || !answer) throw new TypeError(`${symbol} was not checked.`);
      return { testToken, truth: testToken.truth, answer };
    };
    describeAnswers(coreTokens, find);
  });
});

/** The nodes have different headers. */
function withoutHash(answer: object): object {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      key === 'blockHash' ? undefined : typeof value === 'bigint' ? `${value}` : value,
    ),
  ) as object;
}
