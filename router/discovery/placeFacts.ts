import type { Limits } from '../service.ts';

/** What discovery documents say of one deployment, besides what the router says of the service. */
export interface PlaceFacts {
  /** Without a trailing slash. */
  baseUrl: string;
  mode: 'sandbox' | 'live';
  /** CAIP-2 ids of the networks paid on. */
  paymentNetworks: readonly string[];
  /** Groups whose first call by a wallet is free. */
  freeTrialGroups: readonly string[];
  /** The limits configured here; the published defaults hold for the others. */
  limits?: Partial<Limits>;
  /** The key that signs receipts; absent: answers carry none. */
  receipts?: { keyId: string };
  /** Whom to write to. */
  contactEmail?: string;
}
