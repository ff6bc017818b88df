/** The used part of Trusted Types; the DOM library of TypeScript does not have it yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: Readonly<Record<string, (text: string) => string>>): unknown;
}

/**
 * The only policy that the page's Content-Security-Policy allows (`trusted-types default`): text that becomes markup
 * may not contain tags. The component kit writes its style sheets that way; nothing else does, and no text can become a
 * script.
 */
export function allowStyleTextOnly(): void {
  if (!('trustedTypes' in window)) return;
  const { trustedTypes } = window as Window & { trustedTypes: TrustedTypes };
  trustedTypes.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('markup is never made from text');
      return text;
    },
  });
}
