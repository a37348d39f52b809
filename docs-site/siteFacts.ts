/** What the pages tell that is stated elsewhere: given by the server, so that no page can contradict the service. */
export interface SiteFacts {
  mode: 'sandbox' | 'live';
  /** Without a trailing slash. */
  baseUrl: string;
  version: string;
  items: readonly SiteItem[];
  networks: readonly string[];
  /** EIP-712 domain name of the USDC that is paid with. */
  usdcName: string;
  confidence: readonly { when: string; gives: string }[];
  flags: readonly { code: string; severity: string; when: string }[];
  errors: readonly { code: string; status: number; when: string }[];
  variables: readonly { section: string; name: string; description: string; defaultValue: string | undefined }[];
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
