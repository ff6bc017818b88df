import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { allowStyleTextOnly } from './app/trusted-types.js';
import { takeSessionOfAnotherTab } from './session/share-session.js';
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './app/global.css';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');

allowStyleTextOnly();
await takeSessionOfAnotherTab();
createRoot(root).render(<App />);
