import { anchorHeadings, plainText } from './headings.ts';
import type { Page } from './layout.ts';

/** One section of a page: where it is, its headings and its text. */
export interface SearchEntry {
  url: string;
  page: string;
  title: string;
  text: string;
}

/** Longest stored text of a section. */
const longestText = 1_200;

/** The index of the site's search: one entry for each section. */
export function searchIndex(pages: readonly Page[]): SearchEntry[] {
  return pages.flatMap(({ path, title, body }) => {
    const { markup, sections } = anchorHeadings(body.text);
    const parts = markup.split(/<h[23] id="[^"]+">.*?<\/h[23]>/);
    return parts.map((part, index) => {
      const section = sections[index - 1];
      return {
        url: section ? `${path}#${section.id}` : path,
        page: title,
        title: section ? decode(section.title) : title,
        text: decode(plainText(part.replaceAll(/<\/(?:td|th|li|p|dt|dd|tr|h1|figcaption|figure)>/g, ' '))).slice(
          0,
          longestText,
        ),
      };
    });
  });
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
const decode = (text: string): string => text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? '');
