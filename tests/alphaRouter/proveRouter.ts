/**
 * npm run prove:router [-- --gwei 0.01 --market "v2 and v3" --query "500 USD of WETH to USDC" --part 1/4 --out
 * bench/router.json]
 * npm run prove:router -- --market generated [--seed 2 --count 20]
 *
 * Quotes the same orders with truefill and Uniswap's AlphaRouter on a local chain with only Uniswap's pools. Executes both
 * plans and compares their outputs net of gas. Exits with 1 if truefill's is over 1 bp lower for any order. Exits with 1 too
 * if a plan of either side pays more than the bound of `findOptimum`, which judges the search in its tests.
 *
 * Generated markets have the structure of those that judge the search, with pools that Uniswap can have. They are judged
 * as there: exits with 1 if truefill is over 3 bps (p90) or 20 bps (max) below the better of both sides. Twenty markets take
 * about fifteen minutes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../support/engine/testMarket.ts';
import { allowLoopbackOnly } from './allowLoopbackOnly.ts';
import { installRouter } from './installRouter.ts';

const { values } = parseArgs({
  options: {
    gwei: { type: 'string', default: '0.01' },
    market: { type: 'string' },
    query: { type: 'string', multiple: true },
    part: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '2' },
    count: { type: 'string', default: '20' },
    out: { type: 'string', default: 'bench/router.json' },
  },
});

await installRouter();
allowLoopbackOnly();
// Imported after the installation: these modules import the installed packages.
const { markets } = await import('./markets.ts');
const { generatedMarkets } = await import('./generatedMarkets.ts');
const { compareOn } = await import('./compareOn.ts');
const { summarize } = await import('./summarize.ts');
const { versions } = await import('./alphaRouter.mjs');

const gasPriceWei = BigInt(Math.round(Number(values.gwei) * 1e9));
const isGenerated = values.market === 'generated';
const chosen = isGenerated
  ? generatedMarkets(seededRandom(Number(values.seed)), Number(values.count))
  : markets.filter(({ name }) => !values.market || name === values.market);
if (chosen.length === 0) throw new TypeError(`No market is named ${values.market}.`);
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const isSelected = (about: string, index: number) =>
  index % parts === part - 1 && (values.query === undefined || values.query.includes(about));
const rows = [];
for (const market of chosen) rows.push(...(await compareOn(market, gasPriceWei, isSelected)));

const { classes, failed, aboveBound, bound, distance } = summarize(rows);
console.table(classes);
for (const { market, effort, about, differenceBps } of failed) {
  console.error(`${market}, ${effort}: ${about}: ${differenceBps} bps`);
}
for (const { market, effort, about, boundBps } of aboveBound) {
  console.error(`${market}, ${effort}: ${about}: above the bound, ${JSON.stringify(boundBps)}`);
}
await mkdir(dirname(values.out), { recursive: true });
await writeFile(
  values.out,
  `${JSON.stringify({ gwei: Number(values.gwei), versions, classes, failed: failed.length, aboveBound: aboveBound.length, bound, distance, rows }, null, 2)}\n`,
);
console.log(`${rows.length} comparisons; over 1 bp below: ${failed.length}. Written to ${values.out}`);
console.log(
  `Plans above the bound: ${aboveBound.length}. The better side is ${bound.medianBps} (p90 ${bound.p90Bps}, max ${bound.maxBps}) bps below it.`,
);
console.log(
  `Below the best plan, of ${distance.orders} orders that lose less than a tenth of their value: p90 ${distance.p90Bps}, max ${distance.maxBps} bps.`,
);
const isBelow = isGenerated ? distance.p90Bps > 3 || distance.maxBps > 20 : failed.length > 0;
process.exitCode = isBelow || aboveBound.length > 0 ? 1 : 0;
