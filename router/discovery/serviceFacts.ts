import type { Limits } from '../service.ts';

/** Facts of one deployment for the discovery documents; the rest comes from the router. */
export interface ServiceFacts {
  /** Without a trailing slash. */
  baseUrl: string;
  mode: 'sandbox' | 'live';
  /** CAIP-2 ids of the networks paid on. */
  paymentNetworks: readonly string[];
  /** Groups whose first call by a wallet is free. */
  freeTrialGroups: readonly string[];
  /** The limits configured here; the published defaults hold for the others. */
  limits?: Partial<Limits>;
  /** The key that signs receipts; without it answers carry none. */
  receipts?: { keyId: string };
  /** Contact address. */
  contactEmail?: string;
}
