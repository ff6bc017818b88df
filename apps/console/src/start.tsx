import { createRoot } from 'react-dom/client';
import { createApp } from './app/app.tsx';
import { allowStyleTextOnly } from './app/trusted-types.ts';
import { takeSessionOfAnotherTab } from './session/share-session.ts';
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './app/global.css';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');

allowStyleTextOnly();
await takeSessionOfAnotherTab();
const App = createApp();
createRoot(root).render(<App />);
