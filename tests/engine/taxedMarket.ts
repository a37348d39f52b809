import { type Address, encodeFunctionData } from 'viem';
import { farLedgerTokenArtifact } from '../../contracts/artifacts/sandbox/FarLedgerToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { type PoolPlan, reopenChain, type SandboxChain, type SandboxWallet } from '../../sandbox/index.ts';
import { ledgerToken } from './ledgerToken.ts';

const taxed = (symbol: string, buyBps: number, sellBps: number, transferBps: number) =>
  ledgerToken(symbol, 2, taxedTokenArtifact, [[buyBps, sellBps, transferBps]]);

/** Tax rates of buys, sales and transfers. The pools of WALLETTAX are not marked, so it taxes every transfer by 3 %. */
const tokens = [
  taxed('BUYTAX', 400, 0, 0),
  taxed('SELLTAX', 0, 900, 0),
  taxed('BOTHTAX', 500, 1_000, 300),
  taxed('WALLETTAX', 700, 900, 300),
  ledgerToken('FARTAX', 2, farLedgerTokenArtifact),
];
const marked = ['BUYTAX', 'SELLTAX', 'BOTHTAX'];

/** Two venues of pairs, then venues that pay the buyer before they receive the payment, and the v4 PoolManager. */
const venuesByChain: Record<SandboxChain['name'], { venues: Omit<PoolPlan, 'pair' | 'usd'>[]; manager: Address }> = {
  base: {
    venues: [
      { venue: 'uniswap-v2' },
      { venue: 'aerodrome' },
      { venue: 'uniswap-v3', tier: 3000 },
      { venue: 'aerodrome-slipstream', tier: 200 },
      { venue: 'uniswap-v4', tier: 3000 },
    ],
    manager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
  },
  polygon: {
    venues: [
      { venue: 'quickswap-v2' },
      { venue: 'sushiswap-v2' },
      { venue: 'uniswap-v3', tier: 3000 },
      { venue: 'quickswap-v3' },
      { venue: 'uniswap-v4', tier: 3000 },
    ],
    manager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
  },
  arbitrum: {
    venues: [
      { venue: 'uniswap-v2' },
      { venue: 'sushiswap-v2' },
      { venue: 'pancakeswap-v3', tier: 2500 },
      { venue: 'camelot-v3' },
      { venue: 'uniswap-v4', tier: 3000 },
    ],
    manager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
  },
};

/** Lists tokens that tax transfers, each in pools of several families, against USDC and WETH. */
export async function listTaxedTokens(chain: SandboxChain, wallets: readonly SandboxWallet[]): Promise<SandboxChain> {
  const builder = await reopenChain(chain, wallets);
  const { venues, manager } = venuesByChain[chain.name];
  // Pools that require the full payment cannot be filled with FARTAX, which taxes every transfer.
  const choiceOf = (symbol: string) => (symbol === 'FARTAX' ? venues.slice(0, 2) : venues);
  const pools = tokens.flatMap(({ symbol }, index) =>
    [0, 1, 2, 3].slice(0, choiceOf(symbol).length).map((offset): PoolPlan => {
      const venue = venues[(index + offset) % choiceOf(symbol).length] as (typeof venues)[number];
      return { ...venue, pair: [symbol, offset % 2 === 0 ? 'USDC' : 'WETH'], usd: 150_000 + 90_000 * offset };
    }),
  );
  const listed = await builder.list({ tokens, pools });
  const own = tokens.filter(({ symbol }) => marked.includes(symbol));
  await builder.perform(
    own.flatMap(({ address }) =>
      listed.pools
        .filter(({ token0, token1 }) => [token0, token1].includes(address))
        .map(({ pool, key }) => {
          const args = [key ? manager : (pool as Address)] as const;
          return {
            to: address,
            data: encodeFunctionData({ abi: taxedTokenArtifact.abi, functionName: 'markPool', args }),
          };
        }),
    ),
  );
  return listed;
}
