import type { Limits } from '../service.ts';

/** The configuration of a deployment that its discovery documents contain. */
export interface ServiceFacts {
  /** Without a trailing slash. */
  baseUrl: string;
  mode: 'sandbox' | 'live';
  /** CAIP-2 ids of the payment networks. */
  paymentNetworks: readonly string[];
  /** Trial groups (`PaidTerms.trialGroup`) whose first call by a wallet is free. */
  freeTrialGroups: readonly string[];
  /** The configured limits; `defaultLimits` apply to the others. */
  limits?: Partial<Limits>;
  /** The key that signs receipts; if undefined, answers have no receipts. */
  receipts?: { keyId: string };
  /** E-mail address for users. */
  contactEmail?: string;
}
