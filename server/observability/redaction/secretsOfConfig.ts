import type { Config } from '../../config/index.ts';
import { secretsOfUrl } from './secretsOfUrl.ts';

/** All texts of the configuration that must not appear in logs or responses. */
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

/** Each header value and its words: the token of `Bearer abc` may be logged alone. */
function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
}
