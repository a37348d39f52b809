import type { Response } from 'express';
import type { StoredAnswer } from '../payment/index.ts';

/** Sends the stored bytes as they are. Paid for by one client, so no cache may keep them. */
export function sendAnswer(res: Response, answer: StoredAnswer): void {
  res.setHeader('Content-Type', answer.contentType);
  res.setHeader('Cache-Control', 'private, no-store');
  const bytes = Buffer.from(answer.body, 'utf8');
  res.setHeader('Content-Length', bytes.length);
  res.status(answer.status).end(bytes);
}
