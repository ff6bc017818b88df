import { createTheme, type CSSVariablesResolver, InputWrapper, type MantineColorsTuple, Menu } from '@mantine/core';

const harbor: MantineColorsTuple = [
  '#eef7fc',
  '#d9ecf7',
  '#b0d8ee',
  '#82c2e4',
  '#5bafdc',
  '#3a9fd3',
  '#1f86bd',
  '#0b6699',
  '#0b5580',
  '#073f61',
];

/** What is dark in the dark scheme: texts, borders, inputs and the page, of one hue. */
const dark: MantineColorsTuple = [
  '#d3dae1',
  '#b8c2cc',
  '#98a4b0',
  '#7d8995',
  '#3a4550',
  '#2b343e',
  '#212932',
  '#1a2027',
  '#151a20',
  '#0f1318',
];

/** Styles that all components share. */
export const theme = createTheme({
  primaryColor: 'harbor',
  primaryShade: { light: 7, dark: 7 },
  colors: { harbor, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily:
    '"Inter Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.8125rem', lg: '0.9375rem', xl: '1.0625rem' },
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    InputWrapper: InputWrapper.extend({ styles: { label: { fontSize: 'var(--mantine-font-size-xs)' } } }),
    // A menu opens with its first entry in focus: the placeholder that would have it is not a child a menu may have.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
});

/** Colours with enough contrast (WCAG AA) on the page and on cards, by scheme. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f8fa',
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#66707b',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#0b5580',
    '--surface': '#ffffff',
    '--line': '#dde3e9',
    '--hover': '#eef3f7',
    '--accent': '#0b6699',
    '--accent-soft': '#e3f0f8',
    '--status-good': '#157347',
    '--status-bad': '#b42318',
    '--status-busy': '#0b6699',
    '--status-wait': '#8a5a00',
    '--status-idle': '#56606b',
    '--status-held': '#6b3fa0',
  },
  dark: {
    '--mantine-color-body': '#12161b',
    '--mantine-color-dimmed': '#9aa7b4',
    '--mantine-color-placeholder': '#92a0ad',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-anchor': '#82c2e4',
    '--surface': '#1a2027',
    '--line': '#2d3640',
    '--hover': '#222a33',
    '--accent': '#5bafdc',
    '--accent-soft': '#173446',
    '--status-good': '#5fd39a',
    '--status-bad': '#ff8a80',
    '--status-busy': '#6cc0ee',
    '--status-wait': '#f0b94a',
    '--status-idle': '#9aa7b4',
    '--status-held': '#c3a2f2',
  },
});
