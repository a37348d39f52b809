import { z } from 'zod';

/** Descriptions of a variable for the guide and the environment example. */
export interface VariableFacts {
  section: 'Address' | 'Chains' | 'Payments' | 'Storage' | 'Limits' | 'Answers' | 'Vendors' | 'Observability';
  description: string;
  /** Messages never repeat the value, because it is, contains, or resembles a key. */
  isPrivate?: boolean;
}

/** Facts by schema. Every variable has an entry; a test checks it. */
export const variableFacts = z.registry<VariableFacts>();
