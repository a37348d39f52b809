import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter, HealthBody } from '../router/index.ts';

// What can be asked and what is answered, typed from the service's own router. The published package carries the
// same types written out, because whoever installs it has no router.

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

export type QuoteRequest = Inputs['quote'];
export type Quote = Outputs['quote'];
export type PretradeRequest = Inputs['pretradeCheck'];
export type PublishedCheck = Outputs['pretradeCheck'];
export type Health = HealthBody;
