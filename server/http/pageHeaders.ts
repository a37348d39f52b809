import type { Response } from 'express';

/** Allows scripts, styles and requests of this origin only, and nothing inline. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Restricts what a page may load, sends no referrer, and links to every published document.
 * @param link the `Link` header
 */
export function pageHeaders(link: string): (res: Response) => void {
  return (res) => {
    res.setHeader('Content-Security-Policy', contentSecurityPolicy);
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Link', link);
  };
}
