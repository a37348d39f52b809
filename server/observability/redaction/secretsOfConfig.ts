import type { Config } from '../../config/index.ts';
import { secretsOfUrl } from './secretsOfUrl.ts';

/** Every text of the configuration that neither logs nor responses may contain. */
export function secretsOfConfig(config: Config): string[] {
  const traces = config.traces
    ? [...secretsOfUrl(config.traces.endpoint), ...secretsOfHeaders(config.traces.headers)]
    : [];
  if (config.mode === 'sandbox') return traces;
  const { rpcUrls, solana, databaseUrl, facilitatorKeyEvm, receiptKey, remotes, vendors } = config;
  const { blockscout, etherscan, dexscreener, geckoterminal } = vendors;
  return [
    ...traces,
    ...[...Object.values(rpcUrls).flat(), ...(solana?.rpcUrls ?? [])].flatMap(secretsOfUrl),
    ...(databaseUrl ? secretsOfUrl(databaseUrl) : []),
    ...(facilitatorKeyEvm ? [facilitatorKeyEvm.slice(2)] : []),
    ...(receiptKey ? [receiptKey.slice(2)] : []),
    ...(solana?.facilitatorKey ? [solana.facilitatorKey] : []),
    ...Object.values(remotes).flatMap(({ url, headers = {}, cdp }) => [
      ...secretsOfUrl(url),
      ...secretsOfHeaders(headers),
      ...(cdp ? [cdp.keySecret] : []),
    ]),
    ...[blockscout, etherscan, dexscreener, geckoterminal].flatMap((vendor) =>
      vendor ? secretsOfUrl(vendor.url) : [],
    ),
    ...[blockscout?.key, etherscan?.key].filter((key) => key !== undefined),
  ];
}

/** Also the parts of a value: `Bearer abc` may be logged as `abc`. */
function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
}
