import { z } from 'zod';
import { type FetchOptions, VendorUnavailableError } from '../ports.ts';
import type { VendorClient } from '../transport/vendorClient.ts';

const envelope = z.object({ status: z.enum(['0', '1']), message: z.string(), result: z.unknown() });

export interface EtherscanQuery<T> {
  module: string;
  action: string;
  params: Record<string, string>;
  result: z.ZodType<T>;
}

/**
 * Sends a query to Etherscan's v2 API. It returns HTTP 200 for errors too, so they are recognised by the message text.
 *
 * @returns null when the message states that there are no records
 * @throws {VendorUnavailableError} rate-limited, refused (key, plan or chain), malformed, and faults of the request
 */
export async function fetchEtherscan<T>(
  client: VendorClient,
  { module, action, params, result }: EtherscanQuery<T>,
  options: FetchOptions,
): Promise<T | null> {
  // The pretrade check supports Base only.
  const query = { chainid: '8453', module, action, ...params };
  const answer = await client.fetchJson({ path: '/v2/api', query, schema: envelope }, options);
  if (answer.status === '0') {
    if (/^no (records|transactions|data) found/i.test(answer.message)) return null;
    const reason = typeof answer.result === 'string' ? answer.result : '';
    throw new VendorUnavailableError(client.label, /rate limit/i.test(reason) ? 'rate-limited' : 'refused');
  }
  const parsed = result.safeParse(answer.result);
  if (!parsed.success) throw new VendorUnavailableError(client.label, 'malformed');
  return parsed.data;
}
