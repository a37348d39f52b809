import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chainFacts, nativeCoin } from '../../client/chains/index.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** Icons of the package, by the symbol in our tables of tokens. A wrapped coin and a bridged USDC have the icon of the asset. */
const iconOfSymbol = new Map([
  ['ETH', 'eth'],
  ['WETH', 'eth'],
  ['POL', 'matic'],
  ['WPOL', 'matic'],
  ['USDC', 'usdc'],
  ['USDC.e', 'usdc'],
  ['USDbC', 'usdc'],
  ['USDT', 'usdt'],
  ['DAI', 'dai'],
  ['WBTC', 'wbtc'],
  ['LINK', 'link'],
  ['AAVE', 'aave'],
]);

export interface TokenImages {
  /** SVG by file name: `usdc.svg`. */
  files: [string, Buffer][];
  /** File names by `chain:address`, in lower case. Any contract can copy a symbol, none an address. */
  names: [string, string][];
}

/** The icons of the listed tokens and native coins that the package contains. Other tokens get a letter mark. */
export async function readTokenImages(tokens: SiteFacts['tokens']): Promise<TokenImages> {
  const natives = Object.entries(chainFacts).map(([chain, facts]) => ({
    chain,
    symbol: facts.nativeSymbol,
    address: nativeCoin,
  }));
  const path = createRequire(import.meta.url).resolve('@iconify-json/cryptocurrency-color/icons.json');
  const { icons, width, height } = JSON.parse(await readFile(path, 'utf8')) as IconSet;
  const toSvg = (icon: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${icons[icon]?.body}</svg>`;
  return {
    files: [...new Set(iconOfSymbol.values())].map((icon) => [`${icon}.svg`, Buffer.from(toSvg(icon))]),
    names: [...natives, ...tokens].flatMap(({ chain, symbol, address }) => {
      const icon = iconOfSymbol.get(symbol);
      return icon ? [[`${chain}:${address.toLowerCase()}`, `${icon}.svg`]] : [];
    }),
  };
}

interface IconSet {
  icons: Record<string, { body: string }>;
  width: number;
  height: number;
}
