/** Facts that the server provides, so that no page can contradict the service. */
export interface SiteFacts {
  mode: 'sandbox' | 'live';
  /** Without a trailing slash. */
  baseUrl: string;
  version: string;
  items: readonly SiteItem[];
  networks: readonly string[];
  /** EIP-712 domain name of the USDC that is paid with. */
  usdcName: string;
  /** The OpenAPI document as published. */
  document: Record<string, unknown>;
  /** The chains that quotes are for: name in requests, name in prose, and CAIP-2 id. */
  chains: readonly { name: string; label: string; network: string }[];
  /** The venues of each chain that quotes read, and known ones that they do not. */
  venues: readonly { chain: string; covered: readonly string[]; notCovered: readonly string[] }[];
  /** Well-known tokens of each chain, for the home page's suggestions. */
  tokens: readonly SiteToken[];
  contactEmail: string | undefined;
  /** Epoch milliseconds. */
  startedAt: number;
  confidence: readonly { when: string; gives: string }[];
  flags: readonly { code: string; severity: string; when: string }[];
  errors: readonly { code: string; status: number; when: string }[];
  variables: readonly { section: string; name: string; description: string; defaultValue: string | undefined }[];
}

interface SiteToken {
  chain: string;
  address: string;
  symbol: string;
  decimals: number;
}

/** Something that can be bought. */
export interface SiteItem {
  name: string;
  path: string;
  aliases: readonly string[];
  priceUsd: string;
  freeFirstCall: boolean;
  summary: string;
  description: string;
  exampleRequest: unknown;
  exampleAnswer: unknown;
}
