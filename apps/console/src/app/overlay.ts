/** What can be opened over any page. */
export type Overlay = 'search' | 'shortcuts' | 'new-workflow';
