import { chainFacts, chainNames, nativeCoin } from '../../client/chains/index.ts';

/** A token that the form suggests. */
export interface Token {
  chain: string;
  address: string;
  symbol: string;
  decimals?: number;
  about?: string;
}

/** Facts of a token besides its address. */
export type TokenFacts = Pick<Token, 'symbol' | 'decimals'>;

/** Facts of the listed tokens, by `nameKey`. */
export type Names = ReadonlyMap<string, TokenFacts>;

/** A token is its chain and its address: anyone can deploy a contract with the same symbol, or on another chain. */
export const nameKey = (chain: string, address: string): string => `${chain}:${address.toLowerCase()}`;

/** Stands for the native coin in a quote. */
export const nativeAddress: string = nativeCoin;

const nativeCoins: readonly Token[] = chainNames.map((chain) => ({
  chain,
  symbol: chainFacts[chain].nativeSymbol,
  address: nativeAddress,
  about: 'The native coin, quoted as its wrapped token.',
}));

const longestSymbol = 16;
const maxShown = 30;

/** The sandbox's seeded tokens, or the well-known ones of each chain; with the native coins. */
export async function loadTokens(mode: string | undefined, listUrl: string): Promise<Token[]> {
  const response = await fetch(mode === 'sandbox' ? '/sandbox' : listUrl, { headers: { accept: 'application/json' } });
  if (!response.ok) return [];
  const body = (await response.json()) as Token[] | { tokens: Token[] };
  const tokens = Array.isArray(body) ? body : body.tokens;
  return [...nativeCoins, ...tokens].map((token) => ({ ...token, symbol: clip(token.symbol) }));
}

/** The token's contract sets the symbol, which may have any length. */
const clip = (symbol: string) => (symbol.length > longestSymbol ? `${symbol.slice(0, longestSymbol)}…` : symbol);

/** Tokens of a chain that match a query by symbol, address or description, best first. */
export function findTokens(tokens: readonly Token[], query: string): Token[] {
  const sought = addressIn(query) ?? visible(query).toLowerCase();
  const points = ({ symbol, address, about = '' }: Token): number => {
    const name = symbol.toLowerCase();
    if (sought === '') return 1;
    if (name === sought || address.toLowerCase() === sought) return 4;
    if (name.startsWith(sought)) return 3;
    if (name.includes(sought) || (sought.startsWith('0x') && address.toLowerCase().startsWith(sought))) return 2;
    return about.toLowerCase().includes(sought) ? 1 : 0;
  };
  return tokens
    .map((token) => ({ token, score: points(token) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxShown)
    .map(({ token }) => token);
}

/** Without spaces around it and without invisible characters; copied text may contain them. */
const visible = (text: string) => text.replace(/\p{Cf}/gu, '').trim();

/** The address in a text: the text itself, or in the URL of an explorer or an exchange. */
export function addressIn(pasted: string): string | undefined {
  const text = visible(pasted);
  const found = new Set(text.match(/(?<![0-9a-z])0x[0-9a-f]{40}(?![0-9a-z])/gi)?.map((each) => each.toLowerCase()));
  const [address] = found;
  const isAllowed = /^https?:\/\//i.test(text) ? found.size === 1 : text.toLowerCase() === address;
  return isAllowed ? address : undefined;
}

/** The chain of an explorer's URL; undefined for other texts. */
export function chainIn(pasted: string): string | undefined {
  const host = /^https?:\/\/(?:www\.)?([^/?#:]+)/i.exec(visible(pasted))?.[1]?.toLowerCase();
  return host === undefined ? undefined : chainOfExplorer.get(host);
}

const chainOfExplorer = new Map([
  ['basescan.org', 'base'],
  ['base.blockscout.com', 'base'],
  ['polygonscan.com', 'polygon'],
  ['polygon.blockscout.com', 'polygon'],
  ['arbiscan.io', 'arbitrum'],
  ['arbitrum.blockscout.com', 'arbitrum'],
]);

/** The token that a text names: by address, or by a symbol that only one token has. */
export function resolveToken(tokens: readonly Token[], text: string): Token | undefined {
  const sought = addressIn(text) ?? visible(text).toLowerCase();
  const byAddress = tokens.find(({ address }) => address.toLowerCase() === sought);
  if (byAddress) return byAddress;
  const bySymbol = tokens.filter(({ symbol }) => symbol.toLowerCase() === sought);
  return bySymbol.length === 1 ? bySymbol[0] : undefined;
}
