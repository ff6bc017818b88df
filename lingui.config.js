import { formatter } from '@lingui/format-json';

/** The texts of the console in other languages. English ones are in its code. */
export default {
  sourceLocale: 'en',
  locales: ['de'],
  catalogs: [{ path: '<rootDir>/apps/console/src/language/{locale}', include: ['<rootDir>/apps/console/src'] }],
  format: formatter({ style: 'minimal' }),
  // Not by their places in the code, which change with it.
  orderBy: 'messageId',
};
