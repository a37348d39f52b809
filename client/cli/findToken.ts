import { type Address, isAddress } from 'viem';
import { type ChainName, chainFacts, chainNames, nativeCoin } from '../chains/index.ts';
import { didYouMean } from './didYouMean.ts';
import { type ListedToken, listedTokens } from './tokens.ts';
import { UsageError } from './usageError.ts';

/** The chain names, aliases and CAIP-2 ids that the service accepts. */
const chainWords = new Map<string, ChainName>(
  chainNames.flatMap((name) =>
    [name, `eip155:${chainFacts[name].chainId}`, ...chainFacts[name].aliases].map((word) => [word, name] as const),
  ),
);

/** @throws {UsageError} */
export function toChain(word: string | undefined): ChainName {
  const chain = chainWords.get(word ?? 'base');
  if (chain) return chain;
  throw new UsageError(
    `Unknown chain${echo(word ?? '')}.${didYouMean(word ?? '', [...chainWords.keys()])} Use ${chainNames.slice(0, -1).join(', ')} or ${chainNames.at(-1)}.`,
  );
}

/**
 * The address of a token.
 * @param text an address, or a listed symbol in any letter case
 * @param tokens the listed tokens; the native coin is added
 * @throws {UsageError} lists the candidates of an unknown or ambiguous symbol
 */
export function findToken(
  text: string,
  chain: ChainName,
  tokens: readonly ListedToken[] = listedTokens[chain],
): Address {
  if (/^0x/i.test(text)) return assertAddress(text);
  const known = [...tokens, { symbol: chainFacts[chain].nativeSymbol, address: nativeCoin }];
  const found = known.filter(({ symbol }) => symbol.toLowerCase() === text.toLowerCase());
  const [token, ...others] = found;
  if (token && others.length === 0) return token.address;
  if (token) {
    throw new UsageError(
      `The symbol ${token.symbol} is ambiguous on ${chain}: ${listing(found)}. Pass the address of one of them.`,
    );
  }
  const otherChains = Object.entries(listedTokens).flatMap(([name, list]) =>
    name !== chain && list.some(({ symbol }) => symbol.toLowerCase() === text.toLowerCase()) ? [name] : [],
  );
  throw new UsageError(
    `The symbol${echo(text)} is not in the list for ${chain}.${didYouMean(
      text,
      known.map(({ symbol }) => symbol),
    )}${
      otherChains.length > 0
        ? ` It is in the list for ${otherChains.join(' and ')}: pass --chain ${otherChains[0]}.`
        : ''
    } Known: ${known.map(({ symbol }) => symbol).join(', ')}. Pass the address of any other token.`,
  );
}

/** The symbol of a listed token; undefined for any other, because a token may claim any symbol. */
export function symbolOf(chain: ChainName, address: string): string | undefined {
  const lower = address.toLowerCase();
  const tokens = Object.hasOwn(listedTokens, chain) ? listedTokens[chain] : [];
  return tokens.find((token) => token.address.toLowerCase() === lower)?.symbol;
}

/** The symbol, or a shortened address. */
export function tokenName(chain: ChainName, address: string): string {
  return symbolOf(chain, address) ?? address.replace(/^(0x.{4}).{32}(.{4})$/, '$1…$2');
}

/** Mixed letter case is a checksum (EIP-55), which detects most typing errors before a call is paid. */
function assertAddress(text: string): Address {
  const digits = text.slice(2);
  // Do not print it: 64 digits may be a private key.
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new UsageError(
      `An address is 0x and 40 hexadecimal digits, got ${digits.length} characters after 0x.${
        digits.length === 64 ? ' If this is a private key, it belongs in TRUEFILL_KEY.' : ''
      }`,
    );
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (isMixed && !isAddress(text))
    throw new UsageError(
      `The address ${text} fails its checksum: a character is probably wrong. Copy it again, or write it in lower case.`,
    );
  return text as Address;
}

const listing = (tokens: readonly ListedToken[]) =>
  tokens.map(({ symbol, address }) => `${symbol} ${address}`).join(', ');

/** Omits long arguments, because they may be keys. */
const echo = (text: string) => (text.length > 20 ? '' : ` ${text}`);
